/**
 * Checks the inner attempt, refines it, and keeps the best (CoVe + Self-Refine).
 *
 * 1. Code checks first; a model is asked only about what they let pass.
 * 2. A revision is verified again; rounds are bounded; the best-ranked attempt is kept, not the last (invariant 9).
 * 3. Missing evidence goes back into the tool loop with the issues, on the same transcript.
 * `brief.revise`: passes it on; an outer layer's issues are mended inside and the result is verified here.
 */

import type { Check } from '../../checks/check.ts';
import { checkByName } from '../../checks/checks.ts';
import { type Attempt, Final, type Issue, type Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { ask } from '../../model/ask.ts';
import { dateOf } from '../react/take-turn.ts';
import type { Layer, Run, Solver } from '../solver.ts';
import { chainOfVerification } from './chain-of-verification.ts';
import { refinePrompt, refineRules, sourcesText, taskLines } from './prompts.ts';
import { best } from './rank.ts';

export interface VerificationOptions {
  /** Checks by name or as objects. Default: evidence, quotes, arithmetic, citedUrls, schema. */
  checks?: readonly (string | Check)[];
  /** Ask a model after the checks passed. Default true. */
  verifier?: boolean;
  /** Revisions at most; 0 only reports. Default 2 rounds. */
  refine?: { rounds: number };
}

const defaultChecks = ['evidence', 'quotes', 'arithmetic', 'citedUrls', 'schema'];

interface Settings {
  checks: readonly Check[];
  verifier: boolean;
  rounds: number;
}

export function verification(options: VerificationOptions = {}): Layer {
  const own = (options.checks ?? defaultChecks).filter((check) => typeof check !== 'string');
  const checks = (options.checks ?? defaultChecks).map((check) =>
    typeof check === 'string' ? checkByName(check) : check,
  );
  const settings: Settings = { checks, verifier: options.verifier ?? true, rounds: options.refine?.rounds ?? 2 };
  return {
    name: 'verification',
    config: { checks: checks.map((check) => check.name), verifier: settings.verifier, rounds: settings.rounds },
    place: 'checking',
    wrap: (inner) => async (brief, run) => {
      const named = brief.task.checks.map((name) => checkByName(name, own));
      const all = [...checks, ...named.filter((check) => !checks.includes(check))];
      return verifyAndRefine(inner, { brief, run, settings: { ...settings, checks: all } });
    },
  };
}

interface Work {
  brief: Brief;
  run: Run;
  settings: Settings;
}

async function verifyAndRefine(inner: Solver, work: Work): Promise<Attempt> {
  const { brief, run, settings } = work;
  const tried: Attempt[] = [];
  let current = await inner(brief, run);
  for (let round = 0; ; round++) {
    if (current.answer === undefined && current.ended.type !== 'final') return tried.length > 0 ? best(tried) : current;
    // A draft that is not judged yet is better than none, and not better than one that was.
    const drafted = current;
    if (tried.length === 0) run.keep(() => drafted);
    const reports = await verify(current, work);
    current = { ...current, reports: [...current.reports, ...reports] };
    tried.push(current);
    run.keep(() => best(tried));
    const report = reports.at(-1);
    if (!(report && isMendable(report, current)) || round >= settings.rounds) break;
    run.emit({ type: 'refine.made', round: round + 1, issues: report.issues, withTools: report.needsMoreTools });
    const next = await refine(inner, { work, tried, report });
    if (!next) break;
    current = { ...next, revisions: current.revisions + 1, reports: current.reports };
  }
  return best(tried);
}

/** Whether there is a fault to mend: neither a verifier that could not be asked nor a last answer forced by a limit is one. */
function isMendable({ verdict }: Report, attempt: Attempt): boolean {
  return (verdict === 'revise' || verdict === 'fail') && !attempt.degraded;
}

/** The reports of one verification: the checks', and the verifier's when they passed. */
async function verify(attempt: Attempt, work: Work): Promise<Report[]> {
  const { brief, run, settings } = work;
  const reports: Report[] = [];
  const add = (report: Report): void => {
    reports.push(report);
    run.emit({ type: 'verify.report', report });
  };
  const issues: Issue[] = [];
  for (const check of settings.checks) issues.push(...(await check.run(attempt, brief.task, run)));
  if (issues.length > 0 || substantial(attempt, work)) {
    const needsMoreTools = run.tools.size > 0 && issues.some((issue) => issue.type !== 'wrong_computation');
    add({ by: 'checks', knows: 'rules', verdict: issues.length > 0 ? 'revise' : 'pass', issues, needsMoreTools });
  }
  if (issues.length === 0 && settings.verifier) add(await chainOfVerification(attempt, brief, run));
  // Else the verdict on the version before would stand for this one.
  if (reports.length === 0 && attempt.reports.length > 0) add(nothingToCheck);
  return reports;
}

const nothingToCheck: Report = {
  by: 'checks',
  knows: 'rules',
  verdict: 'unchecked',
  issues: [
    {
      type: 'failed_check',
      detail: 'the revision dropped what was found faulty and left nothing to check',
      requiredAction: 'verify by hand',
    },
  ],
  needsMoreTools: false,
};

/** Whether the checks had anything to check: a pass over nothing is no external evidence. */
function substantial(attempt: Attempt, work: Work): boolean {
  const { task } = work.brief;
  const cited = attempt.claims.some((claim) => claim.evidence.length > 0);
  const special = work.settings.checks.some((check) => !defaultChecks.includes(check.name));
  return work.settings.checks.length > 0 && (cited || special || task.outputSchema !== undefined);
}

/** With tools: back into the loop where it stood. Without: a rewrite that sees every earlier draft and its issues. */
async function refine(
  inner: Solver,
  context: { work: Work; tried: readonly Attempt[]; report: Report },
): Promise<Attempt | undefined> {
  const { work, tried, report } = context;
  const { brief, run } = work;
  const last = tried.at(-1);
  if (!last) return undefined;
  if (report.needsMoreTools) return inner({ ...brief, revise: { attempt: last, issues: report.issues } }, run);
  const asked = await ask(run, {
    step: 'refine',
    role: 'actor',
    system: refineRules,
    prompt: refinePrompt(tried, {
      task: taskLines(brief, dateOf(run.durable.now())),
      sources: sourcesText(last.observations, last.claims, run.boundary),
    }),
    schema: Final,
  });
  if (!asked.ok) return undefined;
  const { answer, claims } = asked.value;
  run.emit({ type: 'answer.drafted', answer: answer, claims: claims.length, degraded: false });
  return { ...last, answer, claims };
}
