import { hash } from 'node:crypto';
import type { JSONObject, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';

/**
 * The prompt with marks behind what the vendor shall keep: the system messages at the start (with them the tools, which
 * stand before them there), and the whole of it where it goes on growing. Two marks of the four that are allowed. Only
 * options of messages change, and only in this request: the text before a mark is the same with and without it, so a
 * mark that moves on with the history keeps what was kept.
 */
export function markedForCache(
  prompt: LanguageModelV4Prompt,
  mark: { key: string; options: JSONObject },
  grows: boolean,
): LanguageModelV4Prompt {
  const firstOther = prompt.findIndex(({ role }) => role !== 'system');
  const places = [(firstOther === -1 ? prompt.length : firstOther) - 1, ...(grows ? [prompt.length - 1] : [])];
  const marked = [...prompt];
  for (const place of places) {
    const message = marked[place];
    if (message) marked[place] = withOptions(message, mark);
  }
  return marked;
}

function withOptions(
  message: LanguageModelV4Message,
  { key, options }: { key: string; options: JSONObject },
): LanguageModelV4Message {
  const given = message.providerOptions;
  return { ...message, providerOptions: { ...given, [key]: { ...options, ...given?.[key] } } };
}

const keys = new WeakMap<LanguageModelV4Message, { first: LanguageModelV4Message; key: string }>();

/**
 * One key for the requests of one conversation: a fingerprint of its beginning, up to the first message of the user's. It
 * stays the same while the conversation grows, in every process, and branches of one task share it.
 */
export function cacheKeyOf(prompt: LanguageModelV4Prompt): string {
  const end = prompt.findIndex(({ role }) => role === 'user') + 1;
  const beginning = prompt.slice(0, end || prompt.length);
  const [first, last] = [beginning[0], beginning.at(-1)];
  if (!first || !last) return '';
  const known = keys.get(last);
  if (known?.first === first) return known.key;
  const said = JSON.stringify(beginning.map(({ role, content }) => [role, content]));
  const key = hash('sha256', said, 'hex').slice(0, 32);
  keys.set(last, { first, key });
  return key;
}
