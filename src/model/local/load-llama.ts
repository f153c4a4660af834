import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as NodeLlamaCpp from 'node-llama-cpp';
import { messageOf, UsageError } from '../../core/errors.ts';
import { defaultContext, type EngineSettings } from './local-engine.ts';
import { checkModelFile, unloadable } from './model-file.ts';
import { loadLlamaRuntime } from './runtime.ts';

export type LlamaLibrary = typeof NodeLlamaCpp;

/** A model that is ready to speak. */
export interface LoadedLlama {
  library: LlamaLibrary;
  llama: NodeLlamaCpp.Llama;
  model: NodeLlamaCpp.LlamaModel;
  sequence: NodeLlamaCpp.LlamaContextSequence;
  /** How a chat is written for this model. `thinks` says whether the model may reason before it answers. */
  wrapper(thinks: boolean): NodeLlamaCpp.ChatWrapper;
  /** What whoever uses the model should know. */
  warnings: string[];
}

/** Loads the library, the file and a context for it. Throws `UsageError` with what is wrong and what to do. */
export async function loadLlama(settings: EngineSettings): Promise<LoadedLlama> {
  const { file } = settings;
  checkModelFile(file);
  const { cacheFolder } = settings;
  const library = await loadLlamaRuntime(cacheFolder === undefined ? {} : { env: { ASSAY_CACHE: cacheFolder } });
  const { llama, said } = await startLlama(library, settings.gpu ?? true);
  said.length = 0;
  const model = await llama.loadModel({ modelPath: file }).catch(async (error: unknown) => {
    // What was logged arrives behind the error.
    await nextTurn();
    throw error instanceof library.InsufficientMemoryError ? noMemory(file, error) : unloadable(file, said, error);
  });
  try {
    const context = await model
      .createContext({
        contextSize: { max: settings.contextTokens ?? defaultContext },
        threads: Math.min(settings.threads ?? llama.cpuMathCores, availableParallelism()),
      })
      .catch((error: unknown) => {
        throw noMemory(file, error);
      });
    return { library, llama, model, sequence: context.getSequence(), ...wrappersOf(library, model) };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

interface StartedLlama {
  llama: NodeLlamaCpp.Llama;
  /** What llama.cpp has logged as an error. */
  said: string[];
}

/**
 * The library's native side, once in a process and never put away: a second one takes the log from the first and loses it, and the end of
 * one is the end of all.
 */
const started = new Map<boolean, Promise<StartedLlama>>();

/** Starts it, or gives the one that runs. Throws `UsageError` where there is no build for this machine. */
export function startLlama(library: LlamaLibrary, gpu: boolean): Promise<StartedLlama> {
  const starting = started.get(gpu) ?? start(library, gpu);
  started.set(gpu, starting);
  return starting;
}

async function start(library: LlamaLibrary, gpu: boolean): Promise<StartedLlama> {
  const said: string[] = [];
  try {
    const llama = await library.getLlama({
      gpu: gpu ? 'auto' : false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: library.LlamaLogLevel.error,
      logger: (_level, message) => void said.push(message),
      // The default is 4 or more, and more threads than cores make it many times slower.
      maxThreads: availableParallelism(),
    });
    return { llama, said };
  } catch (error) {
    started.delete(gpu);
    throw new UsageError(
      `llama.cpp cannot run on this machine (${process.platform}-${process.arch}): ${messageOf(error)}. ` +
        'There are builds for Linux with glibc, macOS and Windows. Elsewhere use a model server, for example Ollama.',
      { cause: error },
    );
  }
}

function noMemory(file: string, cause: unknown): UsageError {
  return new UsageError(
    `There is not enough memory for the model ${file} and its context: ${messageOf(cause)}. ` +
      'Take a smaller model, or a smaller context (ASSAY_LOCAL_CONTEXT).',
    { cause },
  );
}

function wrappersOf(library: LlamaLibrary, model: NodeLlamaCpp.LlamaModel): Pick<LoadedLlama, 'wrapper' | 'warnings'> {
  const warnings: string[] = [];
  const known = new Map<boolean, NodeLlamaCpp.ChatWrapper>();
  const wrapper = (thinks: boolean): NodeLlamaCpp.ChatWrapper => {
    const found = known.get(thinks) ?? resolved(library, model, thinks);
    known.set(thinks, found);
    return found;
  };
  try {
    wrapper(false);
  } catch (error) {
    known
      .set(false, library.resolveChatWrapper(model, { warningLogs: false, noJinja: true }))
      .set(true, wrapper(false));
    warnings.push(
      `The chat template of ${model.filename ?? 'the model'} cannot be used (${messageOf(error).split('\n')[0]}), so a plain one is: ` +
        'the model may not call tools well. Take another file of this model.',
    );
  }
  return { wrapper, warnings };
}

function resolved(library: LlamaLibrary, model: NodeLlamaCpp.LlamaModel, thinks: boolean): NodeLlamaCpp.ChatWrapper {
  // Only a template that can be told has been trained to be: others would meet an empty thought they have never seen.
  const canBeTold = model.fileInfo.metadata.tokenizer?.chat_template?.includes('enable_thinking') ?? false;
  const quiet = !thinks && canBeTold;
  const wrapper = library.resolveChatWrapper(model, {
    warningLogs: false,
    // It would print a stack trace and take another template without a word to the caller.
    fallbackToOtherWrappersOnJinjaError: false,
    ...(quiet && { customWrapperSettings: { qwen: { thoughts: 'discourage' } } }),
  });
  if (!quiet || !(wrapper instanceof library.JinjaTemplateChatWrapper)) return wrapper;
  const customWrapperSettings = { jinjaTemplate: { reasoning: false } };
  return library.resolveChatWrapper(model, { type: 'jinjaTemplate', warningLogs: false, customWrapperSettings });
}
