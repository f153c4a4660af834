/**
 * The tokens of a prompt: of the part that a provider counted before, its count; of the rest an estimate. So a call costs what is new in
 * it to reserve, however long the history.
 */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { Transcript } from '../core/transcript.ts';
import { type CountTokens, estimateTokens } from './token-count.ts';

type Part = Exclude<LanguageModelV4Message['content'], string>[number];
type Tools = LanguageModelV4CallOptions['tools'];

/** What a message has beside its texts: its role and its ends. */
const perMessage = 4;
/** A picture or another file; what it really takes depends on the vendor and on its size. */
const perFile = 1_000;
/** Shorter additions are not worth reading. */
const readFrom = 2_048;
const bytesPerToken = 4;
/** How many messages one call adds at most, for the count of the one before to be found. */
const reach = 8;

/** The prompt up to a message, as it was counted when that was the last one. */
const counted = new WeakMap<LanguageModelV4Message, { bytes: number; tokens: number }>();

/** About how many tokens a prompt has. `transcript` is sealed. */
export function promptTokens(transcript: Transcript, tools?: Tools): number {
  const { messages, bytes } = transcript;
  for (let index = messages.length - 1; index >= Math.max(0, messages.length - reach); index--) {
    const message = messages[index];
    const known = message && counted.get(message);
    if (!known || known.bytes > bytes) continue;
    const added = bytes - known.bytes;
    if (added < readFrom) return known.tokens + Math.ceil(added / bytesPerToken);
    return known.tokens + messagesTokens(messages.slice(index + 1));
  }
  return messagesTokens(messages) + toolTokens(tools);
}

/** Remembers how many tokens the prompt of a call had, tools included. */
export function rememberCount({ messages, bytes }: Transcript, tokens: number): void {
  const last = messages.at(-1);
  if (last) counted.set(last, { bytes, tokens });
}

/** Of messages and tools that nobody counted. */
export function messagesTokens(
  messages: readonly LanguageModelV4Message[],
  count: CountTokens = estimateTokens,
): number {
  let tokens = 0;
  for (const { content } of messages) {
    tokens += perMessage;
    if (typeof content === 'string') tokens += count(content);
    else for (const part of content) tokens += partTokens(part, count);
  }
  return tokens;
}

const ofTools = new WeakMap<NonNullable<Tools>, number>();

/** Of tools as a model is told of them. */
export function toolTokens(tools: Tools, count: CountTokens = estimateTokens): number {
  if (!tools || tools.length === 0) return 0;
  const known = count === estimateTokens ? ofTools.get(tools) : undefined;
  if (known !== undefined) return known;
  const tokens = count(JSON.stringify(tools));
  if (count === estimateTokens) ofTools.set(tools, tokens);
  return tokens;
}

/** Of what a model said. */
export function contentTokens(content: readonly LanguageModelV4Content[], count: CountTokens = estimateTokens): number {
  let tokens = 0;
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') tokens += count(part.text);
    else if (part.type === 'tool-call') tokens += count(part.toolName) + count(part.input);
  }
  return tokens;
}

function partTokens(part: Part, count: CountTokens): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return count(part.text);
    case 'tool-call':
      return count(part.toolName) + count(JSON.stringify(part.input) ?? '');
    case 'tool-result':
      return outputTokens(part.output, count);
    case 'file':
    case 'reasoning-file':
      return perFile;
    default:
      return count(JSON.stringify(part));
  }
}

function outputTokens(output: LanguageModelV4ToolResultPart['output'], count: CountTokens): number {
  return output.type === 'text' || output.type === 'error-text' ? count(output.value) : count(JSON.stringify(output));
}
