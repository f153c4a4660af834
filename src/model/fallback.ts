/**
 * The models that stand in for one another.
 *
 * 1. The order is the user's. The next one is asked when a model cannot serve now; a request that it refuses for what is in it (too
 *    long, not supported, filtered) is refused by all, as far as we know, and ends the call.
 * 2. A model that could not serve is passed over for five minutes, or until the time its provider named (an hour at most), by every run in
 *    this process. Then one call tries it; the others follow when that was served. When no other one serves either, it is asked after all.
 * 3. Both are decided inside the journaled step, and who answered is in its result: a replay asks nobody.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { ModelCallError, type ModelFailure } from './classify-error.ts';
import { delegateOf } from './delegate.ts';
import type { FailureKind } from './explain-failure.ts';

const restMs = 300_000;
const longestRestMs = 3_600_000;
/** For so long the others wait for the one that tries a model again. */
const trialMs = 60_000;

interface Rest {
  until: number;
  why: string;
}

/** Of this process: a provider that is down is down for all runs. */
const resting = new WeakMap<LanguageModelV4, Rest>();

const lists = new WeakMap<LanguageModelV4, readonly LanguageModelV4[]>();

/** The first model, with those that stand in for it: `modelsBehind` gives them. Asked itself it is the first one and no other. */
export function withFallbacks(first: LanguageModelV4, others: readonly LanguageModelV4[]): LanguageModelV4 {
  if (others.length === 0) return first;
  const head = delegateOf(first);
  lists.set(head, [first, ...others]);
  return head;
}

/** The models in the order in which they are asked; undefined where nobody stands in. */
export function fallbacksOf(model: LanguageModelV4): readonly LanguageModelV4[] | undefined {
  return lists.get(model);
}

/** Every model that may answer when this one is asked. */
export function modelsBehind(model: LanguageModelV4): readonly LanguageModelV4[] {
  return lists.get(model) ?? [model];
}

/** Whether one model may answer for both, in whatever place of their lists. */
export function mayShareModel(
  a: LanguageModelV4,
  b: LanguageModelV4,
  isSame: (one: LanguageModelV4, other: LanguageModelV4) => boolean,
): boolean {
  return modelsBehind(a).some((one) => modelsBehind(b).some((other) => isSame(one, other)));
}

/** The models in the order in which one call asks them: those that rest come last, and one whose rest is over is being tried from now on. */
export function orderNow(models: readonly LanguageModelV4[], now: number): LanguageModelV4[] {
  const awake = models.filter((model) => (resting.get(model)?.until ?? 0) <= now);
  const [first] = awake;
  const tried = first && resting.get(first);
  if (tried) tried.until = now + trialMs;
  return [...awake, ...models.filter((model) => !awake.includes(model))];
}

/** Why a model is passed over. */
export function whyResting(model: LanguageModelV4): string {
  return resting.get(model)?.why ?? '';
}

/** What a model's failure means for the calls after it. */
export function putToRest(model: LanguageModelV4, error: unknown, told: { why: string; now: number }): void {
  const asked = error instanceof ModelCallError ? error.retryAt : undefined;
  const until = Math.min(Math.max(told.now + restMs, asked ?? 0), told.now + longestRestMs);
  resting.set(model, { until, why: told.why });
}

/** The model answered. */
export function wakeUp(model: LanguageModelV4): void {
  resting.delete(model);
}

const another: ReadonlySet<FailureKind> = new Set([
  'rate-limit',
  'overloaded',
  'server',
  'connection',
  'interrupted',
  'auth',
  'not-found',
]);

/** Whether the failure says that this model cannot serve now, so that another one may. */
export function cannotServe({ kind }: ModelFailure): boolean {
  return another.has(kind);
}
