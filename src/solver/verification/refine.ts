/** Self-Refine (Madaan et al. 2023, section 2): how a round mends an answer, and when there is no use in another. */
import { type Attempt, Final, type Issue, type Observation, type Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import type { BudgetLimit } from '../../core/budget.ts';
import { noUsage } from '../../core/usage.ts';
import { ask } from '../../model/ask.ts';
import { sourceView } from '../react/context-room.ts';
import { dateOf } from '../react/take-turn.ts';
import type { Run, Solver } from '../solver.ts';
import type { VerifierReport } from './chain-of-verification.ts';
import { refinePrompt, refineRules, sourcesText, taskLines } from './prompts.ts';

/** Back into the loop with the issues, or a rewrite without tools that sees every version and its issues. */
export type Way = 'tools' | 'rewrite';

/** A version of the answer with its own verdict, and the way that led from it to the next. */
export interface Version {
  attempt: Attempt;
  report: VerifierReport | undefined;
  way?: Way | undefined;
}

/**
 * The way of the next round: what the report asks for, or the other one where that has already left these very issues as they were; undefined
 * where both have.
 */
export function nextWay(report: Report, versions: readonly Version[], hasTools: boolean): Way | undefined {
  const wanted: Way = report.needsMoreTools ? 'tools' : 'rewrite';
  const tried = waysWithoutEffect(report.issues, versions);
  if (!tried.has(wanted)) return wanted;
  const other: Way = wanted === 'tools' ? 'rewrite' : 'tools';
  return tried.has(other) || (other === 'tools' && !hasTools) ? undefined : other;
}

/** The ways that were gone since these issues came up, none of which they went away. */
function waysWithoutEffect(issues: readonly Issue[], versions: readonly Version[]): Set<Way> {
  const ways = new Set<Way>();
  for (const { report, way } of versions.toReversed()) {
    if (!way) continue;
    if (!report?.issues.every((before) => issues.some((now) => isSame(before, now)))) break;
    ways.add(way);
  }
  return ways;
}

/** A judge says the same in other words: the claim, or what is to be done, tells that it is the same. */
function isSame(a: Issue, b: Issue): boolean {
  if (a.type !== b.type) return false;
  if (a.claim !== undefined && a.claim === b.claim) return true;
  return a.detail === b.detail || a.requiredAction === b.requiredAction;
}

/** What a budget still has, as it was when the step ran: other branches spend from it too. */
interface Room {
  /** The limit that leaves no room. So named, a run that it ended can be extended from here (`resumePoint`). */
  limited?: BudgetLimit;
  /** Model calls left; absent when nothing bounds them here. */
  modelCalls?: number;
}

/** Whether the budget has room for so many more model calls: a revision that nobody can judge is no gain. */
export function roomFor(modelCalls: number, run: Run): Promise<Room> {
  return run.step('refine.room', () => {
    const { budget } = run;
    const held = budget.reserve({ modelCalls, tokens: 1 });
    if (typeof held !== 'string') budget.settle(held, noUsage);
    const most = budget.limits.modelCalls;
    return {
      ...(typeof held === 'string' && { limited: held }),
      ...(most !== undefined && { modelCalls: Math.max(0, most - budget.spent.modelCalls) }),
    };
  });
}

/** The next version; undefined when none came. */
export async function revise(
  way: Way,
  versions: readonly Version[],
  { inner, brief, run }: { inner: Solver; brief: Brief; run: Run },
): Promise<Attempt | undefined> {
  const last = versions.at(-1);
  if (!last?.report) return undefined;
  const { attempt, report } = last;
  const informed = withObservations(attempt, report.observations ?? []);
  if (way === 'tools') return inner({ ...brief, revise: { attempt: informed, issues: report.issues } }, run);
  const asked = await ask(run, {
    step: 'refine',
    role: 'refiner',
    system: refineRules,
    prompt: refinePrompt(
      versions.map((version) => version.attempt),
      {
        task: taskLines(brief, dateOf(run.durable.now())),
        sources: sourcesText(
          informed.observations,
          informed.claims,
          sourceView(run, 'actor', informed.observations.length),
        ),
      },
    ),
    schema: Final,
  });
  if (!asked.ok) return undefined;
  const { answer, claims } = asked.value;
  run.emit({ type: 'answer.drafted', answer, claims: claims.length, degraded: false });
  return { ...informed, answer, claims };
}

/** What the verifier looked up is a source from now on, for claims as for the question where an untrusted text comes from. */
function withObservations(attempt: Attempt, found: readonly Observation[]): Attempt {
  if (found.length === 0) return attempt;
  const { state } = attempt;
  return {
    ...attempt,
    observations: [...attempt.observations, ...found],
    ...(state && { state: { ...state, observations: [...state.observations, ...found] } }),
  };
}
