import { safeAnswer } from '../checks/safe-answer.ts';
import type { Observation } from '../core/attempt.ts';
import type { Result } from '../core/result.ts';
import { isSupported } from '../solver/supported.ts';
import type { RunChunk, RunMetadata } from './chunk.ts';

/** What a Result adds to the message: the answer, its sources, and the end. */
export function resultParts(result: Result): RunChunk[] {
  const { status, reason, answer, attempt } = result;
  const text = answer === undefined ? [] : textParts(safeAnswer({ ...attempt, answer }));
  if (status === 'cancelled') return [...text, { type: 'abort', reason: reason.detail }];
  const error = status === 'failed' ? [{ type: 'error' as const, errorText: reason.detail }] : [];
  return [
    ...text,
    ...sourceParts(result),
    ...error,
    { type: 'finish', finishReason: finishReasonOf(result), messageMetadata: metadataOf(result) },
  ];
}

function textParts(text: string): RunChunk[] {
  return [
    { type: 'text-start', id: 'answer' },
    { type: 'text-delta', id: 'answer', delta: text },
    { type: 'text-end', id: 'answer' },
  ];
}

/** One source for each quote that stands where its claim says. */
function sourceParts({ attempt }: Result): RunChunk[] {
  const { claims, observations } = attempt;
  return claims
    .filter((claim) => isSupported(claim, observations))
    .flatMap(({ text, evidence }, claim) =>
      evidence.flatMap(({ observation, quote }, index): RunChunk[] => {
        const seen = observations.find(({ id }) => id === observation);
        if (!seen) return [];
        const sourceId = `claim-${claim + 1}-${index + 1}`;
        const providerMetadata = { assay: { claim: text, observation, quote } };
        const url = pageOf(seen);
        if (url !== undefined) return [{ type: 'source-url', sourceId, url, title: quote, providerMetadata }];
        const title = `${seen.tool}: ${quote}`;
        return [{ type: 'source-document', sourceId, mediaType: 'text/plain', title, providerMetadata }];
      }),
    );
}

/** The address that a tool was asked for. */
function pageOf({ args }: Observation): string | undefined {
  const url: unknown = Reflect.get(Object(args), 'url');
  return typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

function finishReasonOf({ status, attempt }: Result): 'stop' | 'length' | 'error' | 'other' {
  switch (status) {
    case 'completed':
    case 'revised':
    case 'needs_more_evidence':
      return 'stop';
    case 'stopped':
      return attempt.degraded || attempt.ended.type === 'limit' ? 'length' : 'other';
    case 'failed':
      return 'error';
    case 'awaiting_approval':
    case 'cancelled':
      return 'other';
    default:
      return status satisfies never;
  }
}

function metadataOf({ runId, status, reason, usage, selfChecked, attempt }: Result): RunMetadata {
  return { runId, status, reason, usage, selfChecked, degraded: attempt.degraded };
}
