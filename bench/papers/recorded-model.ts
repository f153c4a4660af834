import { type LanguageModelV4, type LanguageModelV4CallOptions, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { ModelTraits, TextOnly } from '../../src/model/capability.ts';
import { finishedBy, usageFrom } from '../../src/model/reply-parts.ts';

/** Which reply is asked for. A recorded model answers by its place in the run alone. */
export interface Asked {
  run: string;
  /** The journal key of the call inside its run: `path/name#n`. */
  key: string;
  /** Replies that this conversation has so far. */
  turn: number;
  prompt: LanguageModelV4CallOptions['prompt'];
}

// Made once: a stack trace is dear, and whoever listens to events asks for a stream at every call.
const noStreams = new UnsupportedFunctionalityError({ functionality: 'streaming' });

/** A text-only model that says what was recorded. Its usage is unknown, so that the run estimates it. */
export function recordedModel(
  modelId: string,
  say: (asked: Asked) => string,
): LanguageModelV4 & TextOnly & ModelTraits {
  return {
    specificationVersion: 'v4',
    provider: 'recorded',
    modelId,
    supportedUrls: {},
    textOnly: true,
    source: 'replayed',
    async doGenerate({ prompt, headers }) {
      const [run = '', ...key] = (headers?.['idempotency-key'] ?? '').split('/');
      const turn = prompt.filter(({ role }) => role === 'assistant').length;
      const text = say({ run, key: key.join('/'), turn, prompt });
      return {
        content: [{ type: 'text', text }],
        finishReason: finishedBy('stop'),
        usage: usageFrom(undefined),
        warnings: [],
      };
    },
    doStream: () => Promise.reject(noStreams),
  };
}
