/** Turns a model's reply into calls, or says why it cannot. Nothing is searched for by words: only validated data is an action. */
import type { LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import type { ModelReply } from '../../model/model.ts';
import { isGuess, parseJson } from '../../model/parse.ts';
import { splitReasoning } from '../../model/reasoning.ts';
import { recoverTextCalls } from '../../model/text-calls.ts';
import { splitArguments } from '../../tools/arguments.ts';
import type { RawCall } from './guards.ts';
import { historyInput } from './history-input.ts';
import { type Intake, type IntakeContext, intakeOf } from './intake.ts';
import { nothingCalled, replyCut } from './prompts.ts';
import { Action, type Protocol } from './protocol.ts';
import { shortened, withoutNulls } from './small-reading.ts';

export type Reading =
  | { type: 'calls'; said: LanguageModelV4Message; calls: RawCall[]; repairs: string[] }
  | { type: 'invalid'; said: LanguageModelV4Message; empty: boolean; feedback: string }
  | { type: 'refused'; text: string };

type Spoken = Extract<ModelReply, { type: 'reply' }>;
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

type Context = IntakeContext & { protocol: Pick<Protocol, 'textual' | 'oneCall'> };

/** Reads a reply to a model that was offered `context.tools`, control actions included. */
export function readReply(reply: Spoken, context: Context): Reading {
  const reading = readWhole(reply, context);
  return context.protocol.oneCall ? shortened(reading, context.protocol) : reading;
}

function readWhole(reply: Spoken, context: Context): Reading {
  if (reply.finish === 'content-filter')
    return { type: 'refused', text: textOf(reply) || 'the provider refused to answer' };
  if (reply.finish === 'length') return invalid(reply.content, replyCut);
  const intake = intakeOf(context);
  if (reply.content.some((part) => part.type === 'tool-call')) return nativeCalls(reply.content, intake);
  const spoken = splitReasoning(textOf(reply)).text;
  if (spoken.trim() === '') return { ...invalid(reply.content, nothingCalled), empty: true };
  const recovered = recoverTextCalls(spoken);
  if (recovered && 'leaked' in recovered) return invalid(reply.content, `${recovered.why} ${nothingCalled}`);
  if (recovered) {
    const raws = recovered.calls.map((call) => ({
      callId: intake.id(''),
      tool: intake.tool(call.tool),
      input: call.input,
      guessed: false,
    }));
    return { type: 'calls', calls: raws, said: saidCalls([], raws), repairs: ['text-call', ...intake.repairs] };
  }
  return readAction(spoken, reply.content, { intake, protocol: context.protocol });
}

function textOf({ content }: Spoken): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function nativeCalls(content: readonly LanguageModelV4Content[], intake: Intake): Reading {
  const calls: RawCall[] = [];
  const parts: AssistantPart[] = [];
  for (const part of content) {
    if (part.type !== 'tool-call') {
      const kept = keptPart(part);
      if (kept) parts.push(kept);
      continue;
    }
    const tool = intake.tool(part.toolName);
    // Not every model object keeps to the type when a call has no arguments.
    const inputs = splitArguments(part.input ?? '');
    if (inputs.length > 1) intake.repairs.push('split-calls');
    for (const input of inputs) {
      const raw = { callId: intake.id(inputs.length > 1 ? '' : part.toolCallId), tool, input, guessed: false };
      calls.push(raw);
      parts.push(callPart(raw, part.providerMetadata));
    }
  }
  return { type: 'calls', calls, said: { role: 'assistant', content: parts }, repairs: intake.repairs };
}

function readAction(
  text: string,
  content: readonly LanguageModelV4Content[],
  { intake, protocol }: { intake: Intake; protocol: Context['protocol'] },
): Reading {
  const { textual: textOnly, oneCall } = protocol;
  const unusable = (why: string): Reading =>
    invalid(content, textOnly ? `Nothing was done: ${why}. ${actionShape}` : nothingCalled);
  const parsed = parseJson(text);
  if (!parsed.ok) return unusable(parsed.message);
  const action = Action.safeParse(oneCall ? withoutNulls(parsed.value) : parsed.value);
  if (!action.success) return unusable('the JSON is not an action');
  // An answer beside an action was written before its result was known.
  if (action.data.type === 'final' && parsed.repairs.includes('first-of-several')) {
    return invalid(content, 'One reply holds a tool call and a final answer. Send exactly one action.');
  }
  const raw = rawOf(action.data, intake);
  const guessed = isGuess(parsed.repairs);
  const calls = [{ ...raw, guessed }];
  // A text-only model is shown its action alone: invented results after it must not look like history.
  const said: LanguageModelV4Message = textOnly
    ? { role: 'assistant', content: [{ type: 'text', text: JSON.stringify(action.data) }] }
    : saidCalls([], calls);
  return { type: 'calls', calls, said, repairs: [...parsed.repairs, ...intake.repairs] };
}

const actionShape = 'Send {"type":"tool","tool":"NAME","args":{}} or {"type":"final","answer":"TEXT","claims":[]}.';

function rawOf(action: Action, intake: Intake): Omit<RawCall, 'guessed'> {
  const callId = intake.id('');
  if (action.type === 'tool') return { callId, tool: intake.tool(action.tool), input: JSON.stringify(action.args) };
  return { callId, tool: 'final', input: JSON.stringify({ answer: action.answer, claims: action.claims }) };
}

function invalid(content: readonly LanguageModelV4Content[], feedback: string): Extract<Reading, { type: 'invalid' }> {
  const parts = content.flatMap((part) => keptPart(part) ?? []);
  const said = parts.some((part) => part.type === 'text' && part.text.trim() !== '')
    ? parts
    : [...parts.filter((part) => part.type !== 'text'), { type: 'text' as const, text: '(no usable reply)' }];
  return { type: 'invalid', said: { role: 'assistant', content: said }, empty: false, feedback };
}

function saidCalls(before: readonly AssistantPart[], calls: readonly RawCall[]): LanguageModelV4Message {
  return { role: 'assistant', content: [...before, ...calls.map((call) => callPart(call, undefined))] };
}

/** Text and reasoning go back as they came: providers sign them. */
function keptPart(part: LanguageModelV4Content): AssistantPart | undefined {
  if (part.type !== 'text' && part.type !== 'reasoning') return undefined;
  if (part.type === 'text' && part.text.trim() === '') return undefined;
  return { type: part.type, text: part.text, ...(part.providerMetadata && { providerOptions: part.providerMetadata }) };
}

function callPart(call: RawCall, metadata: LanguageModelV4ToolCall['providerMetadata']): AssistantPart {
  return {
    type: 'tool-call',
    toolCallId: call.callId,
    toolName: call.tool,
    input: historyInput(call.input),
    ...(metadata && { providerOptions: metadata }),
  };
}
