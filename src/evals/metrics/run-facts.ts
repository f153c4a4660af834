/** What a run did, counted from data its events and its Result carry; no words are searched. */
import type { Claim } from '../../core/attempt.ts';
import type { EventBody, RunEvent } from '../../core/event.ts';
import { canonicalJson } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import type { RefusalCause } from '../../core/turn.ts';
import { isSupported } from '../../solver/supported.ts';
import type { RunFacts } from '../evaluation.ts';

/** The facts of a run from its events, in order; the copies that a replay emits again are dropped. */
export function factsOf(events: readonly RunEvent[], result: Result): RunFacts {
  const once = [...new Map(events.map((event) => [event.id, event])).values()];
  const calls = callFacts(once);
  const verdicts = ofType(once, 'verify.report').map(({ report }) => report.verdict);
  const objections = verdicts.filter((verdict) => verdict === 'revise' || verdict === 'fail').length;
  const ends = ofType(once, 'trial.end');
  const refusals = ofType(once, 'tool.refused').length + ofType(once, 'turn.invalid').length;
  return {
    turns: ofType(once, 'turn.start').length,
    ...calls,
    ...claimFacts(result),
    verdicts: verdicts.filter((verdict) => verdict !== 'unchecked').length,
    objections,
    // Rounds, not `attempt.revisions`: where the draft stayed the best version, that one is 0.
    revisions: ofType(once, 'refine.made').length,
    trials: ofType(once, 'trial.start').length,
    samples: ofType(once, 'sample.end').length,
    lessonsRecalled: ofType(once, 'lesson.recalled').flatMap(({ lessons }) => lessons).length,
    lessonsAdmitted: ofType(once, 'lesson.admitted').filter(({ admitted }) => admitted).length,
    stumbled: calls.toolErrors + refusals + objections > 0 || ends.some(({ pass }) => !pass),
  };
}

type Placed<Type extends EventBody['type']> = Extract<EventBody, { type: Type }> & { path: string };

function ofType<Type extends EventBody['type']>(events: readonly RunEvent[], type: Type): Placed<Type>[] {
  return events.filter((event): event is RunEvent & Placed<Type> => event.type === type);
}

type CallFacts = Pick<
  RunFacts,
  'toolCalls' | 'toolErrors' | 'invalidCalls' | 'duplicateCalls' | 'blockedCalls' | 'deniedCalls'
>;

function callFacts(events: readonly RunEvent[]): CallFacts {
  const results = ofType(events, 'tool.result');
  const executed = results.filter(({ status }) => status !== 'denied');
  const denied = results.filter(({ status, limited }) => status === 'denied' && limited === undefined);
  const refusals = ofType(events, 'tool.refused');
  const refused = (...causes: RefusalCause[]): number => refusals.filter(({ cause }) => causes.includes(cause)).length;
  const blockedCalls = refused('repeat');
  return {
    toolCalls: executed.length,
    toolErrors: executed.filter(({ status }) => status !== 'ok').length,
    invalidCalls: refused('invalid') + ofType(events, 'turn.invalid').length,
    duplicateCalls: repeatedCalls(events, executed) + blockedCalls,
    blockedCalls,
    deniedCalls: refused('denied', 'speculative') + denied.length,
  };
}

/** Executed calls whose tool and arguments an earlier one of the same attempt had. */
function repeatedCalls(events: readonly RunEvent[], executed: readonly Placed<'tool.result'>[]): number {
  const ran = new Set(executed.map(placeOf));
  // A human may have changed the arguments before it ran: the last are those it ran with.
  const calls = new Map(ofType(events, 'tool.call').map((call) => [placeOf(call), call]));
  const distinct = new Set<string>();
  let counted = 0;
  for (const [place, { path, tool, args }] of calls) {
    if (!ran.has(place)) continue;
    counted++;
    distinct.add(canonicalJson([path, tool, args]));
  }
  return counted - distinct.size;
}

function placeOf({ path, observation }: { path: string; observation: string }): string {
  return `${path} ${observation}`;
}

function claimFacts({
  attempt,
}: Result): Pick<RunFacts, 'claims' | 'supportedClaims' | 'citations' | 'brokenCitations'> {
  const { claims, observations } = attempt;
  const stands = (claim: Claim): boolean => isSupported(claim, observations);
  const citations = claims.flatMap(({ text, evidence }) => evidence.map((cited) => ({ text, evidence: [cited] })));
  return {
    claims: claims.length,
    supportedClaims: claims.filter(stands).length,
    citations: citations.length,
    brokenCitations: citations.filter((citation) => !stands(citation)).length,
  };
}

/** They say that nobody judged the answer, and nothing about it. */
const nobodyLooked: ReadonlySet<string> = new Set(['not-verified', 'unchecked']);

/** Whether the program itself says that the answer is open, cut short or not there. */
export function flaggedBy({ status, reason }: Result): boolean {
  if (status === 'completed' || status === 'revised') return false;
  return status !== 'needs_more_evidence' || !nobodyLooked.has(reason.code);
}
