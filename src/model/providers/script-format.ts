import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { TokenCounts } from '../reply-parts.ts';

/** What a scripted model says: a text, or a reply in detail. */
export type ScriptedReply = string | ScriptedDetail;

export interface ScriptedDetail {
  text?: string | undefined;
  /** Without an id a call gets one from its place in the conversation, the same after every restart. */
  calls?: { tool: string; input: Json; id?: string | undefined }[] | undefined;
  /** Default: `tool-calls` with calls, `content-filter` with a refusal, else `stop`. */
  finish?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' | undefined;
  /** Without it the usage is unknown. */
  usage?: TokenCounts | undefined;
  refusal?: string | undefined;
  reasoning?: string | undefined;
  /** Fails as a provider with this HTTP status would; without one, as an unreachable provider. */
  error?: { status?: number | undefined; message: string; retryAfter?: string | undefined } | undefined;
  delayMs?: number | undefined;
  /** The connection breaks before the finish reason; the last call comes half. */
  stream?: 'cut' | undefined;
}

/** All given conditions must hold; a rule without `when` always matches. */
export interface ScriptRule {
  when?:
    | {
        /** The role in the line `ROLE <role>` that begins the system prompt. */
        role?: string | undefined;
        /** Every text occurs somewhere in the prompt. */
        contains?: string | string[] | undefined;
        /** No text occurs anywhere in the prompt. */
        lacks?: string | string[] | undefined;
        /** Occurs in the last message. */
        lastContains?: string | undefined;
        /** 1 for the first reply of a conversation: the assistant messages so far, plus one. */
        turn?: number | undefined;
      }
    | undefined;
  reply: ScriptedReply;
}

const ScriptedReply: z.ZodType<ScriptedReply> = z.union([
  z.string(),
  z.strictObject({
    text: z.string().optional(),
    calls: z.array(z.strictObject({ tool: z.string().min(1), input: z.json(), id: z.string().optional() })).optional(),
    finish: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']).optional(),
    usage: z
      .strictObject({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number().optional() })
      .optional(),
    refusal: z.string().optional(),
    reasoning: z.string().optional(),
    error: z
      .strictObject({ status: z.int().optional(), message: z.string(), retryAfter: z.string().optional() })
      .optional(),
    delayMs: z.number().nonnegative().optional(),
    stream: z.literal('cut').optional(),
  }),
]);

const texts = z.union([z.string(), z.array(z.string())]);

const ScriptRule: z.ZodType<ScriptRule> = z.strictObject({
  when: z
    .strictObject({
      role: z.string().optional(),
      contains: texts.optional(),
      lacks: texts.optional(),
      lastContains: z.string().optional(),
      turn: z.int().min(1).optional(),
    })
    .optional(),
  reply: ScriptedReply,
});

const Replies = z.strictObject({ replies: z.array(ScriptedReply).min(1) });
const Rules = z.strictObject({ rules: z.array(ScriptRule).min(1) });

/** Compiling a parser takes longer than it saves on one value. */
const readOnce = { jitless: true };

/**
 * Reads a script file: `{"replies": […]}`, used in order, or `{"rules": [{"when"?, "reply"}]}`, where the first that fits
 * is used. Throws `UsageError` that names the file, the place and what is expected there.
 */
export function parseScript(text: string, file: string): ScriptRule[] | ScriptedReply[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the script ${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const list = ['replies', 'rules'].filter((key) => keys.includes(key));
  if (list.length !== 1) {
    throw new UsageError(
      `the script ${file} must be an object with one list, either {"replies": […]} or {"rules": […]}`,
    );
  }
  if (list[0] === 'replies') {
    const parsed = Replies.safeParse(value, readOnce);
    if (parsed.success) return parsed.data.replies;
    throw misshapen(file, parsed.error);
  }
  const parsed = Rules.safeParse(value, readOnce);
  if (parsed.success) return parsed.data.rules;
  throw misshapen(file, parsed.error);
}

function misshapen(file: string, error: z.ZodError): UsageError {
  const issues = error.issues.flatMap((issue) => describeIssue(issue, issue.path));
  return new UsageError(`the script ${file} is not as it should be:\n${issues.slice(0, 5).join('\n')}`);
}

/** A reply is a union: what counts is the branch for objects, since a misshapen string cannot be. */
function describeIssue(issue: z.core.$ZodIssue, path: PropertyKey[]): string[] {
  const inner = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (inner?.length) return inner.flatMap((nested) => describeIssue(nested, [...path, ...nested.path]));
  return [`- ${path.map(String).join('.') || 'the object'}: ${issue.message}`];
}
