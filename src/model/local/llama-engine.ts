/**
 * llama.cpp in this process.
 *
 * 1. One context, one call at a time; the others wait in the order they came.
 * 2. The prompt is counted before anything is evaluated. One that leaves no room for an answer is an error; what stands in it is never
 *    left out.
 * 3. The answer gets the room that is left and no more, so that node-llama-cpp never has to make room by dropping what was said.
 * 4. The signal is looked at between the pieces of the prompt and after each token.
 */
import type { LanguageModelV4FinishReason, SharedV4Warning } from '@ai-sdk/provider';
import type { ChatModelFunctions, ChatWrapper, LlamaChatResponse, Token } from 'node-llama-cpp';
import type { Json } from '../../core/json.ts';
import { CallQueue } from './call-queue.ts';
import { functionsOf, heldTo, samplingFor, thinks } from './generation-options.ts';
import { withoutNulls } from './llama-schema.ts';
import { type LlamaLibrary, type LoadedLlama, loadLlama } from './load-llama.ts';
import type { EngineSettings, LocalEngine, Speech } from './local-engine.ts';
import { ContextOverflowError } from './local-errors.ts';
import { readPrompt } from './read-prompt.ts';
import { ReplyWriter } from './reply-writer.ts';
import { planRequest, type RequestPlan } from './request-plan.ts';

/** Less room than this is no room for an answer. */
const leastRoom = 16;
/** Tokens that the chat format may put in besides what is sampled. */
const slack = 16;

export class LlamaEngine implements LocalEngine {
  readonly #settings: EngineSettings;
  readonly #queue = new CallQueue();
  #loading: Promise<LoadedLlama> | undefined;

  constructor(settings: EngineSettings) {
    this.#settings = settings;
  }

  async speak(speech: Speech): Promise<void> {
    const plan = planRequest(speech.options);
    await this.#queue.run(async () => {
      const loaded = await this.#load();
      await answer(loaded, { speech, plan, settings: this.#settings });
    }, speech.signal);
  }

  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    const loaded = await loading?.catch(() => undefined);
    await loaded?.model.dispose();
  }

  /** A file that could not be loaded may be there, or whole, the next time. */
  #load(): Promise<LoadedLlama> {
    this.#loading ??= loadLlama(this.#settings).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }
}

interface Task {
  speech: Speech;
  plan: RequestPlan;
  settings: EngineSettings;
}

async function answer(loaded: LoadedLlama, { speech, plan, settings }: Task): Promise<void> {
  const { options, signal, emit } = speech;
  const { library, model, sequence } = loaded;
  signal?.throwIfAborted();
  const wrapper = steered(library, loaded.wrapper(thinks(options.reasoning)), plan);
  const prompt = promptOf(loaded, wrapper, plan);
  const room = sequence.contextSize - prompt.length - syntaxTokens(loaded, plan);
  if (room < leastRoom) {
    throw new ContextOverflowError(settings.modelId, {
      promptTokens: prompt.length,
      contextTokens: sequence.contextSize,
      trainedTokens: model.trainContextSize,
    });
  }
  emit({ type: 'stream-start', warnings: [...plan.warnings, ...asWarnings(loaded.warnings)] });
  emit({ type: 'response-metadata', modelId: settings.modelId, timestamp: new Date() });
  const cacheRead = await readPrompt(sequence, prompt, { signal, onProgress: speech.onReadProgress });
  const writer = new ReplyWriter(emit);
  const meter = sequence.tokenMeter.getState();
  const chat = new library.LlamaChat({ contextSequence: sequence, chatWrapper: wrapper });
  let response: LlamaChatResponse<ChatModelFunctions>;
  try {
    response = await chat.generateResponse<ChatModelFunctions>(plan.history, {
      ...samplingFor(options, settings.sampling),
      ...(signal && { signal }),
      maxTokens: Math.max(1, Math.min(options.maxOutputTokens ?? room, room)),
      ...(await heldTo(loaded, plan, writer)),
    });
  } finally {
    chat.dispose({ disposeSequence: false });
  }
  const called = conclude(response, plan, writer);
  const { usedOutputTokens } = sequence.tokenMeter.diff(meter);
  const reasoning = Math.min(writer.reasoningTokens, usedOutputTokens);
  emit({
    type: 'finish',
    finishReason: { unified: called ? 'tool-calls' : finishOf(response), raw: response.metadata.stopReason },
    usage: {
      inputTokens: { total: prompt.length, noCache: prompt.length - cacheRead, cacheRead, cacheWrite: undefined },
      outputTokens: { total: usedOutputTokens, text: usedOutputTokens - reasoning, reasoning },
    },
  });
}

/** The wrapper, telling of all tools whichever may be called, and beginning with a call where one has to come. */
function steered({ LlamaText }: LlamaLibrary, wrapper: ChatWrapper, plan: RequestPlan): ChatWrapper {
  const generateContextState: ChatWrapper['generateContextState'] = (given) => {
    const state = wrapper.generateContextState({ ...given, availableFunctions: functionsOf(plan) });
    if (!plan.mustCall) return state;
    const { contextText, stopGenerationTriggers } = state;
    return { contextText, stopGenerationTriggers, noPrefixTrigger: { type: 'functionCall', inject: LlamaText([]) } };
  };
  return Object.create(wrapper, { generateContextState: { value: generateContextState } }) as ChatWrapper;
}

function promptOf({ model }: LoadedLlama, wrapper: ChatWrapper, plan: RequestPlan): Token[] {
  return wrapper.generateContextState({ chatHistory: plan.history }).contextText.tokenize(model.tokenizer);
}

/** What the format of a call takes of the context besides the tokens that are sampled. */
function syntaxTokens({ library, model, wrapper }: LoadedLlama, plan: RequestPlan): number {
  if (plan.callable.length === 0) return slack;
  const { prefix, paramsPrefix, suffix } = wrapper(false).settings.functions.call;
  return slack + library.LlamaText([prefix, paramsPrefix, suffix]).tokenize(model.tokenizer).length;
}

/** Writes what was not written while it was generated. True when the reply is a call of the caller's tools. */
function conclude(
  { response, functionCalls = [] }: LlamaChatResponse<ChatModelFunctions>,
  plan: RequestPlan,
  writer: ReplyWriter,
): boolean {
  const [call] = functionCalls;
  if (call && call.functionName !== plan.answerFunction) {
    const schema = plan.schemas.get(call.functionName) ?? {};
    writer.call(call.functionName, JSON.stringify(withoutNulls(jsonOf(call.params), schema)));
    return true;
  }
  if (plan.hasOptional && plan.answerSchema) {
    const value = call ? jsonOf(call.params) : parsed(response);
    writer.text(value === undefined ? response : JSON.stringify(withoutNulls(value, plan.answerSchema)));
  }
  writer.end();
  return false;
}

/** The arguments were parsed from JSON; a function without parameters has none. */
function jsonOf(params: unknown): Json {
  return (params ?? {}) as Json;
}

/** Undefined for text that was cut off. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function finishOf({ metadata }: LlamaChatResponse<ChatModelFunctions>): LanguageModelV4FinishReason['unified'] {
  return metadata.stopReason === 'maxTokens' ? 'length' : 'stop';
}

function asWarnings(messages: readonly string[]): SharedV4Warning[] {
  return messages.map((message) => ({ type: 'other', message }));
}
