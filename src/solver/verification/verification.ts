/**
 * Checks the inner attempt, refines it, and keeps the best (CoVe + CRITIC + Self-Refine).
 *
 * 1. Code checks first; a model is asked only about what they let pass.
 * 2. A revision is verified again, so every answer has a verdict of its own; the best-scored attempt is kept, not the last (invariant 9).
 * 3. Missing evidence goes back into the tool loop with the issues, on the same transcript.
 * 4. Rounds are bounded. Issues that came back change the way of mending once and then end it, and so does a budget without room for a
 *    revision and its verdict.
 * `brief.revise`: passes it on; an outer layer's issues are mended inside and the result is verified here.
 */

import type { Check } from '../../checks/check.ts';
import { builtinChecks, checkByName } from '../../checks/checks.ts';
import type { Attempt, Issue, Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { UsageError } from '../../core/errors.ts';
import { dateOf } from '../react/take-turn.ts';
import type { Layer, Run, Solver } from '../solver.ts';
import { addedFacts } from './added-facts.ts';
import { chainOfVerification, type VerifierOptions, type VerifierReport } from './chain-of-verification.ts';
import { type Reference, withChanges } from './changes.ts';
import { best } from './rank.ts';
import { nextWay, revise, roomFor, type Version, type Way } from './refine.ts';

export interface VerificationOptions {
  /** Checks by name or as objects. Default: every built-in one (`builtinChecks`). */
  checks?: readonly (string | Check)[];
  /** Ask a model after the checks passed. Default true, which is `{ variant: 'factor+revise', tools: false }`. */
  verifier?: boolean | VerifierOptions;
  /** Revisions at most; 0 only reports. Default 2 rounds. */
  refine?: { rounds: number };
  /** Whether an answer is right, where that is known. Counts what revising did (`RefinedAttempt.changes`) and steers nothing. */
  reference?: Reference;
}

const defaultChecks: readonly string[] = [...builtinChecks.keys()];

interface Settings {
  checks: readonly Check[];
  verifier: Required<VerifierOptions> | false;
  rounds: number;
  reference: Reference | undefined;
}

/** Verifies and refines what the inner solver answers. Throws `UsageError` for options that cannot be. */
export function verification(options: VerificationOptions = {}): Layer {
  const own = (options.checks ?? defaultChecks).filter((check) => typeof check !== 'string');
  const checks = (options.checks ?? defaultChecks).map((check) =>
    typeof check === 'string' ? checkByName(check) : check,
  );
  const verifier = verifierOf(options.verifier ?? true);
  const settings: Settings = { checks, verifier, rounds: options.refine?.rounds ?? 2, reference: options.reference };
  return {
    name: 'verification',
    config: {
      checks: checks.map((check) => check.name),
      verifier: verifier && { ...verifier },
      rounds: settings.rounds,
    },
    place: 'checking',
    wrap: (inner) => async (brief, run) => {
      const named = brief.task.checks.map((name) => checkByName(name, own));
      const all = [...checks, ...named.filter((check) => !checks.includes(check))];
      return verifyAndRefine(inner, { brief, run, settings: { ...settings, checks: all } });
    },
  };
}

const variants = ['joint', 'two-step', 'factored', 'factor+revise'];

function verifierOf(option: boolean | VerifierOptions): Settings['verifier'] {
  if (option === false) return false;
  const { variant = 'factor+revise', tools = false } = option === true ? {} : option;
  if (!variants.includes(variant))
    throw new UsageError(`there is no verifier variant '${variant}': the variants are ${variants.join(', ')}`);
  if (tools && variant === 'joint')
    throw new UsageError(
      "the verifier variant 'joint' plans and answers in one prompt, so it has no questions to look up: choose another variant, or leave out `tools`",
    );
  return { variant, tools };
}

interface Work {
  brief: Brief;
  run: Run;
  settings: Settings;
}

async function verifyAndRefine(inner: Solver, work: Work): Promise<Attempt> {
  const { brief, run, settings } = work;
  const versions: Version[] = [];
  const tried = (): Attempt[] => versions.map(({ attempt }) => attempt);
  let current = await inner(brief, run);
  while (current.answer !== undefined || current.ended.type === 'final') {
    // A draft that is not judged yet is better than none, and not better than one that was.
    const drafted = current;
    if (versions.length === 0) run.keep(() => drafted);
    const reports = await verify(current, versions[0]?.attempt, work);
    const judged = { ...current, reports: [...current.reports, ...reports] };
    const version: Version = { attempt: judged, report: reports.at(-1) };
    versions.push(version);
    run.keep(() => best(tried()));
    version.way = await wayOn(version, versions, work);
    const next = version.way && (await revise(version.way, versions, { inner, brief, run }));
    if (!next) break;
    current = { ...next, revisions: judged.revisions + 1, reports: judged.reports };
  }
  if (versions.length === 0) return current;
  return withChanges(best(tried()), tried(), { reference: settings.reference, task: brief.task, run });
}

/** Whether there is a fault to mend: neither a verifier that could not be asked nor a last answer forced by a limit is one. */
function isMendable({ attempt, report }: Version): boolean {
  return (report?.verdict === 'revise' || report?.verdict === 'fail') && !attempt.degraded;
}

/** How the next round mends; undefined when there is none, and where a fault stays for that, the reason is told as an event. */
async function wayOn(version: Version, versions: readonly Version[], work: Work): Promise<Way | undefined> {
  const { run, settings } = work;
  const { report } = version;
  const round = versions.length;
  if (!(report && isMendable(version)) || round > settings.rounds) return undefined;
  const way = nextWay(report, versions, run.tools.size > 0);
  const { limited, modelCalls } = await roomFor(1 + leastCalls(settings.verifier), run);
  const why = limited
    ? `the limit ${limited} leaves no room for a revision and its verdict`
    : 'its issues came back after every way of mending them';
  if (way && !limited) {
    run.emit({ type: 'refine.made', round, issues: report.issues, withTools: way === 'tools' });
    return way;
  }
  const left = modelCalls === undefined ? '' : ` (model calls left: ${modelCalls})`;
  run.emit({ type: 'run.warning', why: `the answer is not revised again: ${why}${left}` });
  return undefined;
}

/** The model calls of a verification with one question that no source answers. */
function leastCalls(verifier: Settings['verifier']): number {
  if (!verifier) return 0;
  return verifier.variant === 'joint' ? 2 : 3;
}

/** The reports of one verification: the checks', and the verifier's when they passed. `draft` is the first version, for a revision. */
async function verify(attempt: Attempt, draft: Attempt | undefined, work: Work): Promise<VerifierReport[]> {
  const { brief, run, settings } = work;
  const reports: VerifierReport[] = [];
  const add = (report: VerifierReport): void => {
    reports.push(report);
    // What was looked up has events of its own, and may be long.
    const { observations: _, ...told } = report;
    run.emit({ type: 'verify.report', report: told });
  };
  const { task } = brief;
  const issues: Issue[] = [];
  for (const check of settings.checks) issues.push(...(await check.run(attempt, task, run)));
  if (draft) issues.push(...addedFacts(attempt, draft, { task, date: dateOf(run.durable.now()) }));
  if (issues.length > 0 || substantial(attempt, work)) {
    const needsMoreTools = run.tools.size > 0 && issues.some((issue) => issue.type !== 'wrong_computation');
    add({ by: 'checks', knows: 'rules', verdict: issues.length > 0 ? 'revise' : 'pass', issues, needsMoreTools });
  }
  if (issues.length === 0 && settings.verifier)
    add(await chainOfVerification(attempt, brief, { run, options: settings.verifier }));
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
