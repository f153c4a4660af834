/** What goes between a process and the model process it started. Plain data that can be cloned. */
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { EngineSettings, ReadProgress } from './local-engine.ts';
import { ContextOverflowError, type ContextSizes } from './local-errors.ts';

/** A request without what only its own process can use. */
export type ClonedOptions = Omit<LanguageModelV4CallOptions, 'abortSignal'>;

export type ToModel =
  /** First of all. */
  | { type: 'open'; settings: EngineSettings }
  | { type: 'speak'; id: number; options: ClonedOptions }
  /** Ends the call, which is told of by `failed` like any other failure. */
  | { type: 'abort'; id: number };

export type FromModel =
  | { type: 'part'; id: number; part: LanguageModelV4StreamPart }
  | { type: 'progress'; id: number; progress: ReadProgress }
  /** The last of a call. */
  | { type: 'done'; id: number }
  | { type: 'failed'; id: number; error: ClonedError };

export type ClonedError =
  | { kind: 'usage'; message: string }
  | { kind: 'overflow'; modelId: string; sizes: ContextSizes }
  | { kind: 'other'; message: string };

export function clonedOptions({ abortSignal: _local, ...options }: LanguageModelV4CallOptions): ClonedOptions {
  return options;
}

export function clonedError(error: unknown): ClonedError {
  if (error instanceof ContextOverflowError) return { kind: 'overflow', modelId: error.modelId, sizes: error.sizes };
  return { kind: error instanceof UsageError ? 'usage' : 'other', message: messageOf(error) };
}

export function errorFrom(cloned: ClonedError): Error {
  if (cloned.kind === 'overflow') return new ContextOverflowError(cloned.modelId, cloned.sizes);
  return cloned.kind === 'usage' ? new UsageError(cloned.message) : new Error(cloned.message);
}
