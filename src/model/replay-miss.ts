import { canonicalJson } from '../core/json.ts';
import type { Recording, RequestContent } from './recording.ts';

const shown = 160;

/** Why a request was not found: the nearest recorded one, and the first place where the two differ, side by side. */
export function missMessage(miss: { file: string; request: RequestContent; recordings: Recording[] }): string {
  const { file, request, recordings } = miss;
  const texts = request.prompt.map(canonicalJson);
  const scored = recordings.map((recording) => ({ recording, near: nearness(texts, recording.request) }));
  const best = scored.reduce((a, b) => (isNearer(b.near, a.near) ? b : a));
  const { messages } = best.near;
  const head = `no recorded reply for this request in ${file} (${recordings.length} recorded). The nearest is line ${best.recording.line}`;
  const was = best.recording.request;
  if (messages === texts.length && messages === was.prompt.length) {
    return `${head}, with the same messages; they differ in ${differingFields(request, was)}. Record again with the present code.`;
  }
  return [
    `${head}, the same up to message ${messages} of ${texts.length}; then`,
    `  recorded: ${excerptAt(was.prompt[messages], request.prompt[messages])}`,
    `  now:      ${excerptAt(request.prompt[messages], was.prompt[messages])}`,
    'Record again, or undo what changed the prompt.',
  ].join('\n');
}

interface Nearness {
  /** Equal leading messages. */
  messages: number;
  /** Share of the first differing message, from both ends, that is equal. */
  share: number;
}

function nearness(texts: string[], recorded: RequestContent): Nearness {
  const others = recorded.prompt.map(canonicalJson);
  let messages = 0;
  while (messages < texts.length && texts[messages] === others[messages]) messages++;
  const [a = '', b = ''] = [texts[messages], others[messages]];
  const start = commonStart(a, b);
  const end = commonStart([...a.slice(start)].reverse().join(''), [...b.slice(start)].reverse().join(''));
  return { messages, share: (start + end) / Math.max(1, a.length, b.length) };
}

function isNearer(a: Nearness, b: Nearness): boolean {
  return a.messages === b.messages ? a.share > b.share : a.messages > b.messages;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

type Message = RequestContent['prompt'][number];

/** The message around the place where it departs from the other. */
function excerptAt(message: Message | undefined, other: Message | undefined): string {
  if (!message) return '(no message)';
  const text = contentText(message);
  const from = Math.max(0, commonStart(text, other ? contentText(other) : '') - shown / 4);
  const cut = text.slice(from, from + shown);
  return `${message.role}: ${JSON.stringify(`${from > 0 ? '…' : ''}${cut}${from + shown < text.length ? '…' : ''}`)}`;
}

function contentText(message: Message): string {
  return typeof message.content === 'string' ? message.content : canonicalJson(message.content);
}

function differingFields(a: RequestContent, b: RequestContent): string {
  const fields = ['tools', 'toolChoice', 'responseFormat', 'temperature'] as const;
  const differing = fields.filter((field) => canonicalJson(a[field]) !== canonicalJson(b[field]));
  return differing.join(', ') || 'message options';
}
