import * as z from 'zod';
import type { BudgetLimit } from '../core/budget.ts';
import { append, transcriptOf, userMessage } from '../core/transcript.ts';
import { prepareArguments } from '../tools/arguments.ts';
import { excerpt } from '../tools/excerpt.ts';
import { callModel, type ModelReply, type ModelRun, type Role } from './model.ts';
import type { ModelSize } from './model-size.ts';
import { parseJson } from './parse.ts';
import { questionForm, replyRoom } from './question-form.ts';
import { splitReasoning } from './reasoning.ts';

/** Characters of a small model's unusable reply that it is shown again. */
const unusableCharacters = 200;

export interface Question<T> {
  /** Step name; part of the journal key. */
  step: string;
  role: Role;
  system: string;
  prompt: string;
  schema: z.ZodType<T>;
  /** Model calls at most, the first included. Default 3. */
  tries?: number;
  lastAnswer?: boolean;
}

export type Asked<T> =
  | { ok: true; value: T }
  | { ok: false; why: 'limit'; limit: BudgetLimit; detail: string }
  | { ok: false; why: 'model-error' | 'refused' | 'invalid'; detail: string };

/**
 * A validated value from a model: native JSON schema where the model has it, strict parse, one balanced value, repair, and
 * then the error goes back to the model, `tries` - 1 times. Every try is a step of its own; parsing is outside it, so that
 * a better parser reads old journals anew.
 */
export async function ask<T>(run: ModelRun, question: Question<T>): Promise<Asked<T>> {
  const size = run.sizeOf?.(question.role);
  const form = questionForm(question.schema, question.step, size);
  const system = `${question.system}\n${form.line}`;
  let transcript = transcriptOf({ role: 'system', content: system }, userMessage(question.prompt));
  let detail = '';
  for (let attempt = 1; attempt <= (question.tries ?? 3); attempt++) {
    const room = replyRoom(transcript, form, size);
    if ('overflow' in room) return { ok: false, why: 'model-error', detail: room.overflow };
    const reply = await callModel(run, {
      step: question.step,
      role: question.role,
      transcript,
      ...form.request,
      lastAnswer: question.lastAnswer ?? false,
      maxOutputTokens: room.maxOutputTokens,
    });
    const read = readReply(reply, question.schema);
    if (read.type === 'value') {
      if (read.repairs.length > 0) run.emit({ type: 'model.repaired', step: question.step, how: read.repairs });
      return { ok: true, value: read.value };
    }
    if (read.type === 'stop') return read.failed;
    detail = read.detail;
    transcript = append(
      transcript,
      { role: 'assistant', content: [{ type: 'text', text: shownReply(read.said, size) }] },
      userMessage(
        `That could not be used: ${detail}\nReply with one JSON value that fits the schema, and nothing else.`,
      ),
    );
  }
  return { ok: false, why: 'invalid', detail };
}

/** What a model said that could not be used. A small one may have repeated itself to the end, which must not fill its context. */
function shownReply(said: string, size: ModelSize | undefined): string {
  return (size?.small ? excerpt(said, { max: unusableCharacters }).text : said) || '(nothing)';
}

type Read<T> =
  | { type: 'value'; value: T; repairs: string[] }
  | { type: 'again'; said: string; detail: string }
  | { type: 'stop'; failed: Extract<Asked<never>, { ok: false }> };

function readReply<T>(reply: ModelReply, schema: z.ZodType<T>): Read<T> {
  if (reply.type === 'refused') {
    const { limit } = reply;
    return { type: 'stop', failed: { ok: false, why: 'limit', limit, detail: `the limit ${limit} is used up` } };
  }
  if (reply.type === 'error') return stopped('model-error', reply.message);
  const said = reply.content
    .map((part) => (part.type === 'text' ? part.text : part.type === 'tool-call' ? part.input : ''))
    .join('');
  if (reply.finish === 'content-filter') return stopped('refused', said || 'the content filter stopped the reply');
  if (reply.finish === 'length')
    return { type: 'again', said, detail: 'the reply was cut by the output limit; be shorter' };
  const { text } = splitReasoning(said);
  if (text.trim() === '') return { type: 'again', said, detail: 'the reply was empty' };
  const parsed = parseJson(text);
  if (!parsed.ok) return { type: 'again', said, detail: parsed.message };
  const fitted = schema.safeParse(parsed.value);
  if (fitted.success) return { type: 'value', value: fitted.data, repairs: parsed.repairs };
  // Strict modes send null for what is optional, and small models send numbers as text: safe coercions, as for arguments.
  const coerced = prepareArguments(JSON.stringify(parsed.value), schema);
  if (!coerced.ok) return { type: 'again', said, detail: z.prettifyError(fitted.error) };
  return { type: 'value', value: schema.parse(coerced.args), repairs: [...parsed.repairs, ...coerced.coercions] };
}

function stopped(why: 'model-error' | 'refused', detail: string): Extract<Read<never>, { type: 'stop' }> {
  return { type: 'stop', failed: { ok: false, why, detail } };
}
