/** Which runs may be learnt from, and why others may not: every run that is left out is counted under one reason. */
import { UsageError } from '../../core/errors.ts';
import { isLanguageModel } from '../../model/capability.ts';
import type { Redactor } from '../../trace/redact.ts';
import { cleanRun } from './clean-text.ts';
import type { JudgedAnswer, SelectedRun, TaskGroup } from './example.ts';
import type { ExportRun, ExportVerdict } from './export-run.ts';
import { questionText } from './prompts.ts';
import type { TaskSplit } from './task-split.ts';
import { isPublicTestSet } from './test-sets.ts';

export interface SelectOptions {
  /** Takes verdicts that rest on another model's opinion. Default false. */
  allowModelJudged?: boolean | undefined;
  /** Takes runs of scripted, replayed and other stand-in models, and of models nothing is known of. Default false. */
  includeSimulated?: boolean | undefined;
  /** Takes tasks of public test sets, which can then measure nothing any more. Default false. */
  allowTestSets?: boolean | undefined;
  /** Replaces email addresses and phone numbers. Default false. */
  redactPersonal?: boolean | undefined;
  /** Whether answers may stand without the tool results they rest on. Default `keep`; the card counts them. */
  toolAnswers?: 'keep' | 'drop' | undefined;
}

export const dropReasons = {
  'no-answer': 'ended without an answer',
  degraded: 'the answer was forced by a limit',
  edited: 'a human edited an observation of the run',
  'not-judged': 'nobody judged the answer',
  'self-judged': 'only the model that answered judged it',
  'model-judged': 'only another model judged it (allowModelJudged takes such)',
  simulated: 'the model was scripted, replayed or another stand-in (includeSimulated takes such)',
  'unknown-model': 'it is not recorded what stood behind the model (includeSimulated takes such)',
  'both-splits': 'its question is also that of a task in the other split',
  'tool-answer': 'the answer rests on tool results that the row would not hold',
  failed: 'the answer did not pass',
  'no-counterpart': 'no other answer to the same question came out the other way, or another run gave the same answer',
  'over-limit': 'the task has as many rows as it may have',
  duplicate: 'the same row is there already',
  unfit: 'the row does not fit its shape',
} as const;

export type DropReason = keyof typeof dropReasons;

/** What was read and what became of it. Runs are counted once, under the first reason that holds. */
export class Tally {
  runs = 0;
  used = 0;
  readonly dropped: Map<DropReason, number> = new Map();
  readonly configurations: Map<string, number> = new Map();
  readonly models: Map<string, number> = new Map();
  readonly suites: Set<string> = new Set();
  drop(reason: DropReason, count = 1): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + count);
  }
}

export interface Selection {
  options: SelectOptions;
  redact: Redactor;
  split: TaskSplit;
  tally: Tally;
}

/**
 * The runs that pass, task by task. Runs of one task have to come one after the other, so that no more than one task is held at a time.
 * Throws `UsageError` when a task comes back, and for a public test set.
 */
export async function* selectRuns(
  runs: AsyncIterable<ExportRun> | Iterable<ExportRun>,
  selection: Selection,
): AsyncGenerator<TaskGroup> {
  const seen = new Set<string>();
  let group: TaskGroup | undefined;
  for await (const run of runs) {
    selection.tally.runs++;
    refuseTestSet(run, selection.options);
    if (run.taskKey !== group?.taskKey) {
      if (group && group.runs.length > 0) yield group;
      if (seen.has(run.taskKey))
        throw new UsageError(
          `The runs of the task ${run.taskKey} do not come one after the other: sort the runs by their taskKey first.`,
        );
      seen.add(run.taskKey);
      group = { taskKey: run.taskKey, split: 'train', runs: [] };
    }
    const selected = select(run, selection);
    if (typeof selected === 'string') selection.tally.drop(selected);
    else {
      group.split = selected.split;
      group.runs.push(selected);
    }
  }
  if (group && group.runs.length > 0) yield group;
}

function refuseTestSet({ suite }: ExportRun, { allowTestSets }: SelectOptions): void {
  if (allowTestSets || suite === undefined || !isPublicTestSet(suite)) return;
  throw new UsageError(
    `The suite '${suite}' is a public test set: a model trained on its tasks cannot be measured with them. ` +
      'Export runs of tasks of your own, or force it with allowTestSets.',
  );
}

function select(
  raw: ExportRun,
  { options, redact, split }: Selection,
): (SelectedRun & Pick<TaskGroup, 'split'>) | DropReason {
  const refused = runRefusal(raw, options);
  if (refused) return refused;
  const run = cleanRun(raw, redact, { personalData: options.redactPersonal ?? false });
  const answers = usable(run, options);
  if (answers.length === 0) return finalRefusal(run, options) ?? 'not-judged';
  const side = split.of(run.taskKey, questionText(run.task));
  return side ? { run, answers, split: side } : 'both-splits';
}

function runRefusal({ models, edited }: ExportRun, { includeSimulated }: SelectOptions): DropReason | undefined {
  if (edited) return 'edited';
  if (includeSimulated) return undefined;
  if (models.some(({ source }) => source !== 'unknown' && !isLanguageModel(source))) return 'simulated';
  return models.length === 0 || models.some(({ source }) => source === 'unknown') ? 'unknown-model' : undefined;
}

function usable(run: ExportRun, options: SelectOptions): JudgedAnswer[] {
  const { runId, answer, verdict, usedTools } = run;
  const answers: JudgedAnswer[] = run.versions.flatMap((version) =>
    version.verdict && !verdictRefusal(version.verdict, options)
      ? [{ runId, answer: version.answer, verdict: version.verdict, isFinal: false, usedTools }]
      : [],
  );
  if (answer !== undefined && verdict && !finalRefusal(run, options))
    answers.push({ runId, answer, verdict, isFinal: true, usedTools });
  return answers.filter((judged) => judged.answer.trim() !== '');
}

function finalRefusal({ answer, verdict, degraded }: ExportRun, options: SelectOptions): DropReason | undefined {
  if (answer === undefined || answer.trim() === '') return 'no-answer';
  return degraded ? 'degraded' : verdictRefusal(verdict, options);
}

function verdictRefusal(
  verdict: ExportVerdict | undefined,
  { allowModelJudged }: SelectOptions,
): DropReason | undefined {
  if (!verdict) return 'not-judged';
  if (verdict.knows === 'self') return 'self-judged';
  return verdict.knows === 'another-model' && !allowModelJudged ? 'model-judged' : undefined;
}
