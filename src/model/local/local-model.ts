import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  SharedV4Warning,
} from '@ai-sdk/provider';
import type { ModelTraits } from '../capability.ts';
import { metadataOf } from '../collect.ts';
import { ContentFold } from '../content-fold.ts';
import { finishedBy, usageFrom } from '../reply-parts.ts';
import { refuseFiles } from './chat-history.ts';
import type { LocalEngine, ReadProgress, Speech } from './local-engine.ts';

export interface LocalModelFacts {
  modelId: string;
  traits?: Pick<ModelTraits, 'contextTokens' | 'parameters' | 'small'>;
  /** Hears how far the prompt of each call is read, at least five times a second. */
  onReadProgress?: ((progress: ReadProgress) => void) | undefined;
  /** Hears once of what is wrong with the model itself; it is among the warnings of each reply as well. Default: a process warning. */
  onWarning?: ((warning: string) => void) | undefined;
}

/** A model that an engine runs, as the specification has it. Many models may share an engine. */
export function localModel(engine: LocalEngine, facts: LocalModelFacts): LanguageModelV4 & ModelTraits {
  const tell = toldOnce(facts.onWarning ?? ((warning) => process.emitWarning(warning, 'AssayWarning')));
  const speak = async (
    options: LanguageModelV4CallOptions,
    { signal, emit }: Pick<Speech, 'signal' | 'emit'>,
  ): Promise<void> => {
    refuseFiles(options);
    const heard: Emit = (part) => {
      if (part.type === 'stream-start') tell(part.warnings);
      emit(part);
    };
    await engine.speak({ options, signal, emit: heard, onReadProgress: facts.onReadProgress });
  };
  return {
    specificationVersion: 'v4',
    provider: 'node-llama-cpp',
    modelId: facts.modelId,
    supportedUrls: {},
    source: 'local',
    forcesCalls: true,
    ...facts.traits,
    doGenerate: (options) => whole((emit) => speak(options, { signal: options.abortSignal, emit })),
    doStream: (options) =>
      streamed((emit, left) => {
        const signals = options.abortSignal ? [options.abortSignal, left] : [left];
        return speak(options, { signal: AbortSignal.any(signals), emit });
      }),
  };
}

type Emit = Speech['emit'];

/** Passes on what is wrong with the model itself; what a request asks in vain is for who made the request. */
function toldOnce(onWarning: (warning: string) => void): (warnings: readonly SharedV4Warning[]) => void {
  const told = new Set<string>();
  return (warnings) => {
    for (const warning of warnings) {
      if (warning.type !== 'other' || told.has(warning.message)) continue;
      told.add(warning.message);
      onWarning(warning.message);
    }
  };
}

async function whole(speak: (emit: Emit) => Promise<void>): Promise<LanguageModelV4GenerateResult> {
  const fold = new ContentFold({});
  const end: Omit<LanguageModelV4GenerateResult, 'content'> = {
    warnings: [],
    finishReason: finishedBy('other'),
    usage: usageFrom(undefined),
  };
  await speak((part) => {
    if (part.type === 'stream-start') end.warnings = part.warnings;
    else if (part.type === 'response-metadata') end.response = metadataOf(part);
    else if (part.type === 'finish') Object.assign(end, { finishReason: part.finishReason, usage: part.usage });
    else fold.add(part);
  });
  return { ...end, content: fold.content() };
}

/** Resolves with the first part, so that what fails before it rejects. Whoever cancels the stream ends the call. */
async function streamed(speak: (emit: Emit, left: AbortSignal) => Promise<void>): Promise<LanguageModelV4StreamResult> {
  const left = new AbortController();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<LanguageModelV4StreamPart> | undefined;
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start: (given) => {
      controller = given;
    },
    cancel: (reason) => left.abort(reason),
  });
  const send: Emit = (part) => {
    if (!left.signal.aborted) controller?.enqueue(part);
  };
  const spoken = speak((part) => {
    begin();
    send(part);
  }, left.signal);
  void spoken
    .catch((error: unknown) => send({ type: 'error', error }))
    .then(() => left.signal.aborted || controller?.close());
  await Promise.race([begun, spoken]);
  return { stream };
}
