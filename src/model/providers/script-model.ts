import { setTimeout as delay } from 'node:timers/promises';
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4Message,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { StateError } from '../../core/errors.ts';
import type { ModelTraits } from '../capability.ts';
import { InterruptedStreamError } from '../classify-error.ts';
import { messageText } from '../prompt-text.ts';
import { finishedBy, partsOf, type Reply, streamOf, usageFrom } from '../reply-parts.ts';
import type { ScriptedDetail, ScriptedReply, ScriptRule } from './script-format.ts';

export { parseScript, type ScriptedReply, type ScriptRule } from './script-format.ts';

/** Decides a reply in code. `call` is 1-based and counts the calls of this object. */
export type ScriptFunction = (
  options: LanguageModelV4CallOptions,
  info: { role: string; call: number },
) => ScriptedReply | Promise<ScriptedReply>;

export interface ScriptOptions {
  /** False: a list of replies repeats its last one instead of failing. Default true. */
  strict?: boolean;
  modelId?: string;
  /** The provider name. Default `scripted`. */
  name?: string;
  /** Milliseconds that a reply takes which names no time of its own. Default 0. */
  delayMs?: number;
}

export type ScriptedModel = LanguageModelV4 &
  ModelTraits & {
    /** What it was asked, oldest first. */
    readonly calls: LanguageModelV4CallOptions[];
    /** Throws when a list of replies was not used up. */
    assertDone(): void;
  };

/**
 * A model that follows a script. A list of replies is used in order and an extra call is an error. Of rules the first that
 * fits is used, as often as it fits, and no fit is an error: rules look at the prompt only, so that they give the same
 * replies after a restart. Text is streamed word by word.
 */
export function scriptedModel(
  script: ScriptedReply[] | ScriptRule[] | ScriptFunction,
  options: ScriptOptions = {},
): ScriptedModel {
  const calls: LanguageModelV4CallOptions[] = [];
  const choose = chooserOf(script, options.strict ?? true);
  const next = async (call: LanguageModelV4CallOptions): Promise<ScriptedDetail> => {
    call.abortSignal?.throwIfAborted();
    calls.push(call);
    const chosen = await choose(call, { role: roleOf(call), call: calls.length });
    const detail = typeof chosen === 'string' ? { text: chosen } : chosen;
    const delayMs = detail.delayMs ?? options.delayMs ?? 0;
    if (delayMs > 0) await pause(delayMs, call.abortSignal);
    if (detail.error) throw scriptedError(detail.error);
    return detail;
  };
  return {
    specificationVersion: 'v4',
    provider: options.name ?? 'scripted',
    modelId: options.modelId ?? 'scripted',
    supportedUrls: {},
    source: 'scripted',
    calls,
    assertDone() {
      const left = Array.isArray(script) && !isRules(script) ? script.length - calls.length : 0;
      if (left > 0)
        throw new StateError(`the script has ${left} of ${script.length} replies left: fewer calls came than planned`);
    },
    async doGenerate(call) {
      const detail = await next(call);
      if (detail.stream === 'cut')
        throw new InterruptedStreamError('The script cuts this reply before its finish reason.');
      return { ...replyOf(detail, call), warnings: [] };
    },
    async doStream(call) {
      const detail = await next(call);
      const parts = partsOf(replyOf(detail, call), words);
      return { stream: streamOf(detail.stream === 'cut' ? cutShort(parts) : parts) };
    },
  };
}

function chooserOf(script: ScriptedReply[] | ScriptRule[] | ScriptFunction, strict: boolean): ScriptFunction {
  if (typeof script === 'function') return script;
  if (isRules(script)) return (call, { role }) => byRules(script, call, role);
  return (call, info) => {
    const reply = script[info.call - 1] ?? (strict ? undefined : script.at(-1));
    if (reply !== undefined) return reply;
    const asked = lastText(call.prompt, (message) => message.role === 'user');
    throw new StateError(
      `the script has ${script.length} replies and this is call ${info.call}; it asks: ${tail(asked)}`,
    );
  };
}

function isRules(script: ScriptedReply[] | ScriptRule[]): script is ScriptRule[] {
  return script.length > 0 && script.every((item) => typeof item === 'object' && 'reply' in item);
}

function byRules(rules: ScriptRule[], call: LanguageModelV4CallOptions, role: string): ScriptedReply {
  const whole = call.prompt.map(messageText).join('\n');
  const last = lastText(call.prompt, (message) => message.role !== 'system');
  const turn = call.prompt.filter((message) => message.role === 'assistant').length + 1;
  const fits = ({ when = {} }: ScriptRule): boolean =>
    (when.role === undefined || when.role === role) &&
    (when.turn === undefined || when.turn === turn) &&
    (when.lastContains === undefined || last.includes(when.lastContains)) &&
    listOf(when.contains).every((text) => whole.includes(text)) &&
    !listOf(when.lacks).some((text) => whole.includes(text));
  const rule = rules.find(fits);
  if (rule) return rule.reply;
  throw new StateError(
    `no rule of the script fits a call of role "${role}", turn ${turn}; add a rule for a prompt that ends: ${tail(last)}`,
  );
}

function listOf(texts: string | string[] | undefined): string[] {
  return typeof texts === 'string' ? [texts] : (texts ?? []);
}

/** The role named by the first line of the system prompt, or ''. */
function roleOf({ prompt }: LanguageModelV4CallOptions): string {
  const system = prompt.find((message) => message.role === 'system');
  return /^ROLE +(\S+)/.exec(system?.content ?? '')?.[1] ?? '';
}

function lastText(prompt: LanguageModelV4Message[], wanted: (message: LanguageModelV4Message) => boolean): string {
  const message = prompt.findLast(wanted);
  return message ? messageText(message) : '';
}

function tail(text: string): string {
  return JSON.stringify(text.length > 300 ? `…${text.slice(-300)}` : text);
}

function replyOf(detail: ScriptedDetail, { prompt }: LanguageModelV4CallOptions): Reply {
  const texts = [detail.text, detail.refusal].filter((text) => text !== undefined);
  const calls = detail.calls ?? [];
  const content: LanguageModelV4Content[] = [
    ...(detail.reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: detail.reasoning }]),
    ...texts.map((text) => ({ type: 'text' as const, text })),
    ...calls.map(({ id, tool, input }, index) => ({
      type: 'tool-call' as const,
      toolCallId: id ?? `call-${prompt.length}-${index}`,
      toolName: tool,
      input: JSON.stringify(input),
    })),
  ];
  const ended = detail.refusal !== undefined ? 'content-filter' : calls.length > 0 ? 'tool-calls' : 'stop';
  return { content, finishReason: finishedBy(detail.finish ?? ended), usage: usageFrom(detail.usage) };
}

/** Up to the middle of what comes last. */
function cutShort(parts: LanguageModelV4StreamPart[]): LanguageModelV4StreamPart[] {
  const end = parts.findLastIndex((part) => part.type === 'text-delta' || part.type === 'tool-input-delta');
  const last = parts[end];
  if (last?.type !== 'text-delta' && last?.type !== 'tool-input-delta') return parts.slice(0, 1);
  return [...parts.slice(0, end), { ...last, delta: last.delta.slice(0, Math.ceil(last.delta.length / 2)) }];
}

function words(text: string): string[] {
  return text.match(/\S{1,12}\s*|\s+/gu) ?? [];
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function scriptedError({ status, message, retryAfter }: NonNullable<ScriptedDetail['error']>): APICallError {
  return new APICallError({
    message,
    url: 'script:',
    requestBodyValues: {},
    ...(status === undefined ? { isRetryable: true } : { statusCode: status }),
    ...(retryAfter !== undefined && { responseHeaders: { 'retry-after': retryAfter } }),
  });
}
