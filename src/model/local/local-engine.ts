import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Sampling } from './models-table.ts';

/** How far the prompt of a call is read, in tokens. What a cache holds counts as read. */
export interface ReadProgress {
  read: number;
  total: number;
}

/** The largest context where nobody says another, in tokens. */
export const defaultContext = 16_384;

/** What a model file is run with. Plain data: it is sent to another process. */
export interface EngineSettings {
  file: string;
  modelId: string;
  /** The largest context, in tokens; memory may allow less. Default `defaultContext`. */
  contextTokens?: number;
  /** Default: the cores that are good at this; never more than the machine offers to this process. */
  threads?: number;
  /** Whether a graphics processor is used where there is one. Default true. */
  gpu?: boolean;
  /** Where the library is looked for, if it is not beside assay. Default: the folder that the environment names. */
  cacheFolder?: string;
  /** What holds where a call does not say; without it, the likeliest token is taken. */
  sampling?: Sampling;
}

/** One call. */
export interface Speech {
  options: LanguageModelV4CallOptions;
  signal: AbortSignal | undefined;
  /** Takes the parts of a stream, `finish` last. */
  emit(part: LanguageModelV4StreamPart): void;
  onReadProgress?: ((progress: ReadProgress) => void) | undefined;
}

/**
 * Runs one model file. Calls are answered one after the other. `speak` resolves when `finish` was emitted and rejects with
 * `UsageError` (a file or a machine that cannot be used), `ContextOverflowError` (before anything was emitted),
 * `LocalModelCrashError`, or with the reason of the signal, soon after it aborts. After `close` the next call starts anew.
 */
export interface LocalEngine {
  speak(speech: Speech): Promise<void>;
  close(): Promise<void>;
}
