/**
 * What a vendor insists on, kept out of the loop: one wrapper of the model port.
 *
 * 1. A request's wire form is a function of the request alone, so a longer history starts with the bytes of a shorter one.
 * 2. Tool names are mapped reversibly: the program only sees its own.
 * 3. Nothing is lost silently: a tool that cannot be offered is reported, and the others stay.
 * 4. A model of this process (scripted, replayed, a function, a command) is returned as it is.
 */
import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { isLanguageModel, sourceOf, traitsOf } from './capability.ts';
import { type Abilities, abilitiesOf, type Reasoning } from './wire/abilities.ts';
import { cacheKeyOf, markedForCache } from './wire/cache.ts';
import { adaptMessages } from './wire/messages.ts';
import { wireCallId, wireName } from './wire/names.ts';
import { answerSchema, type ToolCache, toolsFor, type WireTools } from './wire/tools.ts';

export type { Reasoning } from './wire/abilities.ts';

/** The models that need no adapter any more: those made here, and wrappers around them. */
const adaptedModels = new WeakSet<LanguageModelV4>();

const noTools: never[] = [];

interface WireRequest {
  options: LanguageModelV4CallOptions;
  originalNames: Map<string, string>;
  warnings: string[];
}

export interface AdaptOptions {
  /**
   * Hears once of each tool that cannot be offered; the same sentence is among the reply's warnings. Default: a process
   * warning.
   */
  onWarning?(warning: string): void;
  /** How much the model thinks, where a request does not say. Default: as the vendor does it. */
  reasoning?: Reasoning | undefined;
}

/**
 * The model with requests its vendor accepts: tool names and call ids in the narrowest pattern, schemas in the vendor's
 * dialect, every tool call answered once, no blank text, forced calls and reasoning in the vendor's terms, and the marks or
 * keys by which it keeps a prompt. Replies come back under the original tool names, with call ids that are unique in the
 * reply. Models of `resolveModel` are adapted already; adapting twice changes nothing.
 */
export function adaptToProvider(model: LanguageModelV4, options: AdaptOptions = {}): LanguageModelV4 {
  if (!isLanguageModel(sourceOf(model)) || adaptedModels.has(model)) return model;
  const abilities = abilitiesOf(model.provider, model.modelId);
  const cache: ToolCache = new WeakMap();
  const lists = new WeakMap<object, WireTools>();
  const toolsOf = (tools: NonNullable<LanguageModelV4CallOptions['tools']>): WireTools => {
    const known = lists.get(tools);
    if (known) return known;
    const made = toolsFor(tools, abilities, cache);
    lists.set(tools, made);
    return made;
  };
  const told = new Set<string>();
  const onWarning = options.onWarning ?? ((warning: string) => process.emitWarning(warning, 'AssayWarning'));
  const prepare = (request: LanguageModelV4CallOptions): WireRequest => {
    const asked = options.reasoning && !request.reasoning ? { ...request, reasoning: options.reasoning } : request;
    const wire = toWire(asked, abilities, toolsOf(request.tools ?? noTools));
    for (const warning of wire.warnings) {
      if (!told.has(warning)) onWarning(warning);
      told.add(warning);
    }
    return wire;
  };
  return markAdapted({
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    ...traitsOf(model),
    async doGenerate(request) {
      const wire = prepare(request);
      const reply = await model.doGenerate(wire.options);
      const finishReason = finishOf(reply.finishReason, abilities);
      if (comesBackAsItIs(reply.content, wire)) return { ...reply, finishReason };
      const back = fromWire(wire.originalNames);
      const warnings = [...reply.warnings, ...asWarnings(wire)];
      return { ...reply, content: reply.content.map(back), finishReason, warnings };
    },
    async doStream(request) {
      const wire = prepare(request);
      const reply = await model.doStream(wire.options);
      const back = fromWire(wire.originalNames);
      const mapped = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform: (part, controller) => controller.enqueue(streamedBack(part, { wire, abilities, back })),
      });
      return { ...reply, stream: reply.stream.pipeThrough(mapped) };
    },
  });
}

function streamedBack(
  part: LanguageModelV4StreamPart,
  { wire, abilities, back }: { wire: WireRequest; abilities: Abilities; back: ReturnType<typeof fromWire> },
): LanguageModelV4StreamPart {
  if (part.type === 'stream-start') return { ...part, warnings: [...part.warnings, ...asWarnings(wire)] };
  if (part.type === 'finish') return { ...part, finishReason: finishOf(part.finishReason, abilities) };
  return back(part);
}

function finishOf(reason: LanguageModelV4FinishReason, { finish }: Abilities): LanguageModelV4FinishReason {
  const unified = reason.raw === undefined ? undefined : finish?.[reason.raw];
  return unified ? { ...reason, unified } : reason;
}

/** Says that the model takes our requests as they are, being a wrapper around an adapted one. Returns it. */
export function markAdapted(model: LanguageModelV4): LanguageModelV4 {
  adaptedModels.add(model);
  return model;
}

function toWire(request: LanguageModelV4CallOptions, abilities: Abilities, wire: WireTools): WireRequest {
  const format = wireFormat(request.responseFormat, abilities);
  const { tools, toolChoice, reasoning = request.reasoning } = wireChoice(request.toolChoice, wire, abilities);
  const own = ownOptions(request, abilities, { reasoning, strict: format.strict });
  // A plain copy with few changes is much cheaper than one made of many parts; what does not apply is left out altogether.
  const options = { ...request, prompt: wirePrompt(request, abilities, tools.length > 0) };
  if (tools.length > 0) options.tools = tools;
  else delete options.tools;
  if (toolChoice) options.toolChoice = toolChoice;
  else delete options.toolChoice;
  if (format.responseFormat) options.responseFormat = format.responseFormat;
  else delete options.responseFormat;
  if (reasoning && !abilities.reasoning) options.reasoning = reasoning;
  else delete options.reasoning;
  if (Object.keys(own).length > 0) options.providerOptions = { ...request.providerOptions, [abilities.key]: own };
  return {
    options,
    originalNames: wire.originalNames,
    warnings: format.warning ? [...wire.warnings, format.warning] : wire.warnings,
  };
}

/** A question with one answer is not worth keeping: what is written into a cache costs more than what is only read. */
function wirePrompt(
  request: LanguageModelV4CallOptions,
  { messages, cache, key }: Abilities,
  withTools: boolean,
): LanguageModelV4CallOptions['prompt'] {
  const prompt = adaptMessages(request.prompt, messages);
  if (typeof cache !== 'object') return prompt;
  const grows = withTools || prompt.some(({ role }) => role === 'assistant');
  return markedForCache(prompt, { key, options: cache.mark }, grows);
}

interface WireChoice {
  tools: WireTools['tools'];
  toolChoice?: LanguageModelV4CallOptions['toolChoice'];
  /** Set where a forced call does not go with reasoning. */
  reasoning?: LanguageModelV4CallOptions['reasoning'];
}

/** A choice needs tools, and a chosen tool has to be among them. */
function wireChoice(
  choice: LanguageModelV4CallOptions['toolChoice'],
  { tools }: WireTools,
  { forced }: Abilities,
): WireChoice {
  if (tools.length === 0 || !choice) return { tools };
  if (choice.type === 'auto' || choice.type === 'none') return { tools, toolChoice: choice };
  const toolName = choice.type === 'tool' ? wireName(choice.toolName) : undefined;
  const chosen = toolName === undefined ? tools : tools.filter(({ name }) => name === toolName);
  if (chosen.length === 0) return { tools, toolChoice: { type: 'auto' } };
  const asGiven = toolName === undefined ? choice : { type: 'tool' as const, toolName };
  switch (forced) {
    case 'taken':
      return { tools, toolChoice: asGiven };
    case 'without-reasoning':
      return { tools, toolChoice: asGiven, reasoning: 'none' };
    case 'one-tool':
      return { tools: chosen, toolChoice: { type: 'required' } };
    case 'asked':
      return { tools: chosen, toolChoice: { type: 'auto' } };
  }
}

interface WireFormat {
  responseFormat: LanguageModelV4CallOptions['responseFormat'];
  strict: boolean;
  warning?: string;
}

function wireFormat(format: LanguageModelV4CallOptions['responseFormat'], abilities: Abilities): WireFormat {
  if (format?.type !== 'json' || format.schema === undefined) return { responseFormat: format, strict: false };
  const { schema: _given, ...unbound } = format;
  const { schema, strict, json } = answerSchema(format.schema, abilities);
  if (schema) return { responseFormat: { ...format, schema }, strict };
  const as = json ? 'as JSON of any shape' : 'in free text';
  const warning = `The answer schema cannot be told to ${abilities.vendor}, so the model answers ${as}.`;
  return { responseFormat: json ? unbound : undefined, strict: false, warning };
}

/** What goes into the options of the vendor's own package. */
function ownOptions(
  { prompt, providerOptions }: LanguageModelV4CallOptions,
  { key, always, saysStrict, cache, reasoning }: Abilities,
  asked: { reasoning: string | undefined; strict: boolean },
): JSONObject {
  return {
    ...always,
    ...(saysStrict && { strictJsonSchema: asked.strict }),
    ...(cache === 'key' && { promptCacheKey: cacheKeyOf(prompt) }),
    ...(reasoning && asked.reasoning && asked.reasoning !== 'provider-default' && reasoning(asked.reasoning)),
    ...providerOptions?.[key],
  };
}

function asWarnings({ warnings }: WireRequest): SharedV4Warning[] {
  return warnings.map((message) => ({ type: 'other', message }));
}

/** Whether there is nothing to map back: no tool has another name on the wire, and at most one call, which has an id. */
function comesBackAsItIs(content: readonly LanguageModelV4Content[], wire: WireRequest): boolean {
  if (wire.originalNames.size > 0 || wire.warnings.length > 0) return false;
  let calls = 0;
  return content.every((part) => part.type !== 'tool-call' || (++calls === 1 && part.toolCallId.trim() !== ''));
}

/** Maps one reply back, part by part: tool names, and an id and an input of its own for each call. */
function fromWire(
  originalNames: Map<string, string>,
): <Part extends LanguageModelV4StreamPart | LanguageModelV4Content>(part: Part) => Part {
  const usedIds = new Set<string>();
  const written = new Map<string, string>();
  const originalName = (name: string): string => originalNames.get(name) ?? name;
  return (part) => {
    switch (part.type) {
      case 'tool-input-delta':
        written.set(part.id, (written.get(part.id) ?? '') + part.delta);
        return part;
      case 'tool-input-start':
      case 'tool-result':
        return { ...part, toolName: originalName(part.toolName) };
      case 'tool-call':
        // A provider-executed call is followed by results under the id it has.
        return part.providerExecuted
          ? { ...part, toolName: originalName(part.toolName) }
          : { ...part, ...ownCall(part, usedIds, written), toolName: originalName(part.toolName) };
      default:
        return part;
    }
  };
}

function ownCall(
  { toolCallId: id, input }: LanguageModelV4ToolCall,
  usedIds: Set<string>,
  written: ReadonlyMap<string, string>,
): Pick<LanguageModelV4ToolCall, 'toolCallId' | 'input'> {
  const toolCallId = id.trim() === '' || usedIds.has(id) ? wireCallId(id, usedIds) : id;
  usedIds.add(toolCallId);
  // A package that makes `{}` of arguments it cannot read would have a tool run on nothing.
  return { toolCallId, input: (input === '{}' && written.get(id)?.trim()) || input };
}
