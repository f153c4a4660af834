/**
 * What a vendor insists on, kept out of the loop: one wrapper of the model port.
 *
 * 1. A request's wire form is a function of the request alone, so a longer history starts with the bytes of a shorter one.
 * 2. Tool names are mapped reversibly: the program only sees its own.
 * 3. Nothing is lost silently: a tool that cannot be offered is reported, and the others stay.
 * 4. A model of this process (scripted, replayed, a function, a command) is returned as it is.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { sourceOf, traitsOf } from './capability.ts';
import { type Dialect, dialectOf } from './wire/dialect.ts';
import { adaptMessages } from './wire/messages.ts';
import { wireCallId, wireName } from './wire/names.ts';
import { answerSchema, type ToolCache, toolsFor, type WireTools } from './wire/tools.ts';

/** The models that need no adapter any more: those made here, and wrappers around them. */
const adaptedModels = new WeakSet<LanguageModelV4>();

const noTools: never[] = [];

interface WireRequest {
  options: LanguageModelV4CallOptions;
  originalNames: Map<string, string>;
  warnings: string[];
}

/**
 * The model with requests its vendor accepts: tool names and call ids in the narrowest pattern, schemas in the vendor's
 * dialect, every tool call answered once, no blank text. Replies come back under the original tool names, with call ids
 * that are unique in the reply. Models of `resolveModel` are adapted already; adapting twice changes nothing.
 * `onWarning` (default: a process warning) hears once of each tool that cannot be offered; the same sentence is among the
 * reply's warnings.
 */
export function adaptToProvider(
  model: LanguageModelV4,
  options: { onWarning?(warning: string): void } = {},
): LanguageModelV4 {
  if (sourceOf(model) !== 'provider' || adaptedModels.has(model)) return model;
  const dialect = dialectOf(model.provider);
  const cache: ToolCache = new WeakMap();
  const lists = new WeakMap<object, WireTools>();
  const toolsOf = (tools: NonNullable<LanguageModelV4CallOptions['tools']>): WireTools => {
    const known = lists.get(tools);
    if (known) return known;
    const made = toolsFor(tools, dialect, cache);
    lists.set(tools, made);
    return made;
  };
  const told = new Set<string>();
  const onWarning = options.onWarning ?? ((warning: string) => process.emitWarning(warning, 'AssayWarning'));
  const prepare = (request: LanguageModelV4CallOptions): WireRequest => {
    const wire = toWire(request, dialect, toolsOf(request.tools ?? noTools));
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
      if (comesBackAsItIs(reply.content, wire)) return reply;
      const back = fromWire(wire.originalNames);
      return { ...reply, content: reply.content.map(back), warnings: [...reply.warnings, ...asWarnings(wire)] };
    },
    async doStream(request) {
      const wire = prepare(request);
      const reply = await model.doStream(wire.options);
      const back = fromWire(wire.originalNames);
      const mapped = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform: (part, controller) =>
          controller.enqueue(
            part.type === 'stream-start' ? { ...part, warnings: [...part.warnings, ...asWarnings(wire)] } : back(part),
          ),
      });
      return { ...reply, stream: reply.stream.pipeThrough(mapped) };
    },
  });
}

/** Says that the model takes our requests as they are, being a wrapper around an adapted one. Returns it. */
export function markAdapted(model: LanguageModelV4): LanguageModelV4 {
  adaptedModels.add(model);
  return model;
}

function toWire(request: LanguageModelV4CallOptions, dialect: Dialect, wire: WireTools): WireRequest {
  const format = wireFormat(request.responseFormat, dialect);
  const choice = wireChoice(request.toolChoice, wire);
  const providerOptions = wireProviderOptions(request.providerOptions, dialect, format.strict);
  // A plain copy with few changes is much cheaper than one made of many parts; what does not apply is left out altogether.
  const options = { ...request, prompt: adaptMessages(request.prompt, dialect) };
  if (wire.tools.length > 0) options.tools = wire.tools;
  else delete options.tools;
  if (choice) options.toolChoice = choice;
  else delete options.toolChoice;
  if (format.responseFormat) options.responseFormat = format.responseFormat;
  else delete options.responseFormat;
  if (providerOptions) options.providerOptions = providerOptions;
  return {
    options,
    originalNames: wire.originalNames,
    warnings: format.warning ? [...wire.warnings, format.warning] : wire.warnings,
  };
}

/** A choice needs tools, and a chosen tool has to be among them. */
function wireChoice(
  choice: LanguageModelV4CallOptions['toolChoice'],
  { tools }: WireTools,
): LanguageModelV4CallOptions['toolChoice'] {
  if (tools.length === 0 || choice?.type !== 'tool') return tools.length === 0 ? undefined : choice;
  const toolName = wireName(choice.toolName);
  return tools.some(({ name }) => name === toolName) ? { type: 'tool', toolName } : { type: 'auto' };
}

interface WireFormat {
  responseFormat: LanguageModelV4CallOptions['responseFormat'];
  strict: boolean;
  warning?: string;
}

function wireFormat(format: LanguageModelV4CallOptions['responseFormat'], dialect: Dialect): WireFormat {
  if (format?.type !== 'json' || format.schema === undefined) return { responseFormat: format, strict: false };
  const { schema, strict } = answerSchema(format.schema, dialect);
  if (schema) return { responseFormat: { ...format, schema }, strict };
  const warning = 'The answer schema cannot be told to the vendor, so the model answers in free text.';
  return { responseFormat: undefined, strict: false, warning };
}

function wireProviderOptions(
  given: SharedV4ProviderOptions | undefined,
  dialect: Dialect,
  strictJsonSchema: boolean,
): SharedV4ProviderOptions | undefined {
  // A run may go on long after the vendor has dropped what it stored, so every request carries its whole history.
  if (dialect === 'openai') return { ...given, openai: { store: false, strictJsonSchema, ...given?.['openai'] } };
  if (dialect !== 'compatible') return given;
  return { ...given, openaiCompatible: { strictJsonSchema, ...given?.['openaiCompatible'] } };
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

/** Maps one reply back, part by part: tool names, and an id of its own for each call. */
function fromWire(
  originalNames: Map<string, string>,
): <Part extends LanguageModelV4StreamPart | LanguageModelV4Content>(part: Part) => Part {
  const usedIds = new Set<string>();
  return (part) => {
    if (part.type === 'tool-input-start' || part.type === 'tool-result') {
      return { ...part, toolName: originalNames.get(part.toolName) ?? part.toolName };
    }
    if (part.type !== 'tool-call') return part;
    const toolName = originalNames.get(part.toolName) ?? part.toolName;
    // A provider-executed call is followed by results under the id it has.
    if (part.providerExecuted) return { ...part, toolName };
    const used = part.toolCallId.trim() === '' || usedIds.has(part.toolCallId);
    const toolCallId = used ? wireCallId(part.toolCallId, usedIds) : part.toolCallId;
    usedIds.add(toolCallId);
    return { ...part, toolName, toolCallId };
  };
}
