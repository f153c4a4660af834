/**
 * The messages of a request, as a vendor accepts them.
 *
 * 1. One pass from left to right: what is written for a message depends on the messages before it only. So the request
 *    of a longer history starts with that of a shorter one, wherever the shorter one leaves no call open (invariant 12).
 * 2. Every tool call has exactly one result, in call order, directly behind it: a call that was interrupted says so, and
 *    a result that answers no open call is dropped.
 * 3. No blank text, no assistant message without content, no tool input that is not an object.
 * 4. A history that grew is adapted from where the shorter one ended, so a request costs its new messages only.
 * 5. Provider metadata and reasoning pass unchanged; the messages given are never changed.
 */
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { wireCallId, wireName } from './names.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;
type CallPart = Extract<AssistantPart, { type: 'tool-call' }>;

/** What a vendor insists on beyond what holds for all. Compared by identity: one object per vendor. */
export interface MessageRules {
  /** A system message may stand behind the first other message; else it is sent as one of the user's. */
  laterSystem: boolean;
  /** Two user messages in a row become one. */
  mergeUsers: boolean;
  /** An assistant message has to stand between a tool result and a message of the user's. */
  bridged?: true;
  /** Call ids are nine letters and digits. */
  shortIds?: true;
  /** A thought signature hangs on an empty text, which has to come back. */
  signedBlanks?: true;
}

interface OpenCall {
  id: string;
  wireId: string;
  toolName: string;
  result?: LanguageModelV4ToolResultPart;
}

interface Pass {
  rules: MessageRules;
  out: LanguageModelV4Prompt;
  open: OpenCall[];
  /** The tool messages that answer the open calls; what is not a result in them goes along. */
  answers: ToolMessage[];
  /** The message that answers the open calls, when it was asked for after the last answer came. */
  closing: ToolMessage | undefined;
  usedIds: Set<string>;
}

/** Says as little as can be said. */
const bridge: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] };

const interrupted = 'interrupted: the outcome of this call is not known';

/** A pass that stands behind the last message of `source`, ready to go on with a longer history. */
interface Paused {
  source: LanguageModelV4Prompt;
  pass: Pass;
}

/** By the last message of their history. A pass is taken out to go on, so of two branches the second starts anew. */
const paused = new WeakMap<LanguageModelV4Message, Paused>();

/** How far from the end of a prompt the last one may have ended. */
const reach = 8;

export function adaptMessages(prompt: LanguageModelV4Prompt, rules: MessageRules): LanguageModelV4Prompt {
  const { pass, done } = resumed(prompt, rules);
  for (let index = done; index < prompt.length; index++) {
    const message = prompt[index];
    if (message) addMessage(pass, message);
  }
  const last = prompt.at(-1);
  if (last) paused.set(last, { source: prompt, pass });
  const closing = closingMessage(pass);
  return closing ? [...pass.out, closing] : [...pass.out];
}

/** The paused pass of the longest known history this prompt begins with, or a new one. */
function resumed(prompt: LanguageModelV4Prompt, rules: MessageRules): { pass: Pass; done: number } {
  for (let index = prompt.length - 1; index >= Math.max(0, prompt.length - reach); index--) {
    const message = prompt[index];
    const found = message && paused.get(message);
    if (!found || found.pass.rules !== rules || found.source.length !== index + 1) continue;
    if (!found.source.every((earlier, position) => prompt[position] === earlier)) continue;
    paused.delete(message);
    return { pass: found.pass, done: index + 1 };
  }
  return { pass: { rules, out: [], open: [], answers: [], closing: undefined, usedIds: new Set() }, done: 0 };
}

function addMessage(pass: Pass, message: LanguageModelV4Message): void {
  if (message.role === 'tool') {
    addResults(pass, message);
    return;
  }
  closeCalls(pass);
  if (message.role === 'system') addSystem(pass, message);
  else if (message.role === 'user') addUser(pass, message);
  else addAssistant(pass, message);
}

function addSystem(pass: Pass, message: Extract<LanguageModelV4Message, { role: 'system' }>): void {
  if (message.content.trim() === '') return;
  const atStart = pass.out.every((earlier) => earlier.role === 'system');
  if (atStart || pass.rules.laterSystem) pass.out.push(message);
  else addUser(pass, { role: 'user', content: [{ type: 'text', text: message.content }] });
}

function addUser(pass: Pass, message: Extract<LanguageModelV4Message, { role: 'user' }>): void {
  const kept = message.content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  const content: UserPart[] = kept.length > 0 ? kept : [{ type: 'text', text: '(empty message)' }];
  if (pass.rules.bridged && pass.out.at(-1)?.role === 'tool') pass.out.push(bridge);
  const merged = pass.rules.mergeUsers ? mergedText(pass.out.at(-1), content) : undefined;
  if (merged !== undefined) pass.out[pass.out.length - 1] = { role: 'user', content: [{ type: 'text', text: merged }] };
  else pass.out.push({ ...message, content });
}

/** The texts of two user messages as one: chat templates of local models insist that the roles alternate. */
function mergedText(before: LanguageModelV4Message | undefined, content: UserPart[]): string | undefined {
  if (before?.role !== 'user') return undefined;
  const texts = [...before.content, ...content].map((part) => (part.type === 'text' ? part.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join('\n\n');
}

function addAssistant(pass: Pass, message: Extract<LanguageModelV4Message, { role: 'assistant' }>): void {
  const content = message.content
    .filter((part) => !isBlank(part, pass.rules))
    .map((part) => (part.type === 'tool-call' && !part.providerExecuted ? openCall(pass, part) : renamed(part)));
  // Reasoning alone is refused as well: it has to be followed by what was reasoned about.
  if (content.some((part) => part.type !== 'reasoning' && part.type !== 'reasoning-file')) {
    pass.out.push({ ...message, content });
  }
}

function isBlank(part: AssistantPart, rules: MessageRules): boolean {
  if (part.type !== 'text' || part.text.trim() !== '') return false;
  return !(rules.signedBlanks && part.providerOptions?.['google']?.['thoughtSignature'] !== undefined);
}

function renamed(part: AssistantPart): AssistantPart {
  return part.type === 'tool-call' || part.type === 'tool-result'
    ? { ...part, toolName: wireName(part.toolName) }
    : part;
}

function openCall(pass: Pass, part: CallPart): CallPart {
  const wireId = wireCallId(part.toolCallId, pass.usedIds, pass.rules.shortIds ? 'short' : 'any');
  pass.usedIds.add(wireId);
  const toolName = wireName(part.toolName);
  pass.open.push({ id: part.toolCallId, wireId, toolName });
  return { ...part, toolCallId: wireId, toolName, input: inputObject(part.input) };
}

/** The input as an object; anything else a model wrote is kept under one key, so that it can see its mistake. */
function inputObject(input: unknown): object {
  if (isPlainObject(input)) return input;
  if (input === undefined || input === null) return {};
  if (typeof input !== 'string') return { input };
  try {
    const parsed: unknown = JSON.parse(input);
    return isPlainObject(parsed) ? parsed : { input: parsed };
  } catch {
    return input.trim() === '' ? {} : { input };
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function addResults(pass: Pass, message: ToolMessage): void {
  for (const part of message.content) {
    if (part.type !== 'tool-result') continue;
    const call = pass.open.find(({ id, result }) => id === part.toolCallId && result === undefined);
    if (call) call.result = part;
  }
  pass.answers.push(message);
  pass.closing = undefined;
}

function closeCalls(pass: Pass): void {
  if (pass.open.length === 0 && pass.answers.length === 0) return;
  const closing = closingMessage(pass);
  if (closing) pass.out.push(closing);
  pass.open = [];
  pass.answers = [];
  pass.closing = undefined;
}

/** Kept, since the request that ends here and the next one both hold it. */
function closingMessage(pass: Pass): ToolMessage | undefined {
  pass.closing ??= answered(pass);
  return pass.closing;
}

function answered({ open, answers }: Pass): ToolMessage | undefined {
  const approvals = answers.flatMap(({ content }) => content.filter((part) => part.type === 'tool-approval-response'));
  if (open.length === 0 && approvals.length === 0) return undefined;
  const results = open.map(({ wireId, toolName, result }): LanguageModelV4ToolResultPart => {
    const output = result ? notBlank(result.output) : { type: 'error-text' as const, value: interrupted };
    return { ...(result ?? { type: 'tool-result' }), toolCallId: wireId, toolName, output };
  });
  const providerOptions = answers.findLast((answer) => answer.providerOptions)?.providerOptions;
  return { role: 'tool', content: [...results, ...approvals], ...(providerOptions && { providerOptions }) };
}

const noOutput = '(no output)';

function notBlank(output: LanguageModelV4ToolResultPart['output']): LanguageModelV4ToolResultPart['output'] {
  if (output.type === 'text' || output.type === 'error-text') {
    return output.value.trim() === '' ? { ...output, value: noOutput } : output;
  }
  if (output.type !== 'content') return output;
  const value = output.value.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return { ...output, value: value.length > 0 ? value : [{ type: 'text', text: noOutput }] };
}
