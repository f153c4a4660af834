/**
 * An evaluation on disk: a folder that is a home of its own, so that `assay show --home FOLDER` shows its runs.
 *
 * 1. `tasks.jsonl` and `evaluation.json` are written before the first run, `records.jsonl` gets a line for each finished one
 *    before it counts. Like the journal it survives the death of the process, not always that of the machine.
 * 2. A last line that a crash left half is not read; its run is done again, from its journal.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StateError, UsageError } from '../../core/errors.ts';
import type { EvalRecord, Evaluation, EvaluationHeader } from '../evaluation.ts';
import { findingsFile } from '../stored-findings.ts';
import type { EvalTask } from '../suite.ts';

const headerFile = 'evaluation.json';
const recordsFile = 'records.jsonl';
const tasksFile = 'tasks.jsonl';

/** Where the runs and their events are. */
export function runsFile(folder: string): string {
  return join(folder, 'assay.db');
}

/** Where the replies of a suite are kept, whichever evaluation bought them. */
export function repliesFile(folder: string): string {
  return join(dirname(folder), 'replies.db');
}

export function writeHeader(folder: string, header: EvaluationHeader): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, headerFile);
  writeFileSync(`${file}.part`, `${JSON.stringify(header, null, 2)}\n`, { flush: true });
  renameSync(`${file}.part`, file);
}

/** The tasks with what is expected, so that a report and a triage need the suite no more. */
export function writeTasks(folder: string, tasks: readonly EvalTask[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, tasksFile), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''), { flush: true });
}

/** The tasks of an evaluation by their id. */
export function readTasksOf(folder: string): Map<string, EvalTask> {
  const file = join(folder, tasksFile);
  const lines = readFileSync(file, 'utf8').split('\n');
  const tasks = lines.flatMap((line, index) =>
    line === '' ? [] : [parsed(line, `${file}, line ${index + 1}`) as EvalTask],
  );
  return new Map(tasks.map((task) => [task.id, task]));
}

export function appendRecord(folder: string, record: EvalRecord): void {
  appendFileSync(join(folder, recordsFile), `${JSON.stringify(record)}\n`);
}

/** An evaluation as far as it got. Throws `UsageError` for a folder that holds none, `StateError` for one that is damaged. */
export function readEvaluation(folder: string): Evaluation {
  const file = join(folder, headerFile);
  if (!isEvaluation(folder))
    throw new UsageError(`${folder} holds no evaluation: it has no ${headerFile}. Run one with \`assay eval SUITE\`.`);
  // Only `writeHeader` and `appendRecord` write these files.
  const header = parsed(readFileSync(file, 'utf8'), file) as EvaluationHeader;
  return { header, records: readRecords(folder), folder };
}

function readRecords(folder: string): EvalRecord[] {
  const file = join(folder, recordsFile);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.pop();
  const records = lines
    .filter((line) => line !== '')
    .map((line, index) => parsed(line, `${file}, line ${index + 1}`) as EvalRecord);
  // A run that was done again stands further down.
  return [...new Map(records.map((record) => [record.runId, record])).values()];
}

/** What a crash left of a last line is cut off, so that the next record begins on a line of its own. */
export function mendRecords(folder: string): void {
  const file = join(folder, recordsFile);
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length === text.length) return;
  writeFileSync(`${file}.part`, whole, { flush: true });
  renameSync(`${file}.part`, file);
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StateError(
      `${where} is damaged: it is not JSON. Move the evaluation's folder away and run the suite again; what it bought is in the cache.`,
    );
  }
}

/** Whether a folder holds an evaluation. */
export function isEvaluation(folder: string): boolean {
  return existsSync(join(folder, headerFile));
}

/** The evaluations of a suite, newest first. */
export function evaluationsIn(suiteFolder: string): string[] {
  if (!existsSync(suiteFolder)) return [];
  return readdirSync(suiteFolder)
    .map((name) => join(suiteFolder, name))
    .filter(isEvaluation)
    .sort()
    .reverse();
}

/** Where an evaluation is, and by what it is named. */
export interface EvaluationPlace {
  suite: string;
  id: string;
  folder: string;
}

/** The evaluations of all suites below a folder that has one folder a suite, newest first. */
export function evaluationsBelow(root: string): EvaluationPlace[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .flatMap((suite) => evaluationsIn(join(root, suite)).map((folder) => ({ suite, id: basename(folder), folder })))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** Changes whenever what is stored of the evaluation does. */
export function stampOf(folder: string): string {
  return [headerFile, recordsFile, findingsFile]
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.mtimeMs} ${file.size}` : '-'))
    .join(', ');
}

/** The newest evaluation with this fingerprint: one that was not finished, or with `ended` any. */
export function findEvaluation(
  suiteFolder: string,
  fingerprint: string,
  options: { ended: boolean },
): Evaluation | undefined {
  return evaluationsIn(suiteFolder)
    .map(readEvaluation)
    .find(({ header }) => header.fingerprint === fingerprint && (options.ended || header.ended === undefined));
}
