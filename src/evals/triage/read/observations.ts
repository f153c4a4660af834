import type { Observation } from '../../../core/attempt.ts';
import type { Json } from '../../../core/json.ts';
import { parseJson } from '../../../model/parse.ts';
import { isFields } from './fields.ts';

/** An observation of a pasted trace. Its status is read from what the text begins with: nothing else tells it. */
export function pastedObservation(number: number, call: { tool: string; args: unknown; content: string }): Observation {
  const { tool, args, content } = call;
  return { id: `obs-${number}`, path: '', tool, args, status: statusOf(content), content, trust: 'untrusted' };
}

const failed = /^\s*(?:["'{[]\s*)*(?:error|exception|traceback|failed|failure|错误|失败)\b[\s:：,'"\]]*/iu;
const late = /^\s*(?:error\W+)?(?:time[d -]?out|no result within|超时)/iu;
const shortResult = 400;

function statusOf(content: string): Observation['status'] {
  if (late.test(content)) return 'timeout';
  if (/^\s*denied\b/i.test(content)) return 'denied';
  return failed.test(content) || (content.length < shortResult && /^\s*(?:HTTP )?[45]\d\d\b/.test(content))
    ? 'error'
    : 'ok';
}

/** The arguments of a call as JSON where they are, else as text under `input`. */
export function argumentsOf(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? {};
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return parsed?.ok && (isFields(parsed.value) || Array.isArray(parsed.value)) ? parsed.value : { input: text };
}
