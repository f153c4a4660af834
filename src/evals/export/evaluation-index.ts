/** The finished runs of an evaluation, without their answers: what has to be known of all of them to take them task by task. */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { Knowledge } from '../../core/attempt.ts';
import { StateError } from '../../core/errors.ts';
import { modelSources } from '../../model/capability.ts';
import type { Outcome } from '../evaluation.ts';
import type { ExportModel } from './export-run.ts';

export const headerFile = 'evaluation.json';
const recordsFile = 'records.jsonl';

export interface IndexedRun {
  runId: string;
  configuration: string;
  task: string;
  repeat: number;
  outcome: Outcome;
  grade: { pass: boolean; score: number };
  versions: boolean[][];
}

export interface EvaluationIndex {
  suite: string;
  graders: { name: string; knows: Knowledge }[];
  /** By configuration. */
  models: ReadonlyMap<string, ExportModel[]>;
  /** Sorted by task. */
  runs: IndexedRun[];
}

const Header = z.object({
  suite: z.string(),
  graders: z.array(
    z.object({ name: z.string(), knows: z.enum(['tests', 'rules', 'schema', 'reference', 'another-model', 'self']) }),
  ),
  configurations: z.array(
    z.object({
      name: z.string(),
      models: z.array(
        z.object({
          id: z.string(),
          source: z.enum(modelSources).catch('scripted'),
        }),
      ),
    }),
  ),
});

const Line: z.ZodType<IndexedRun> = z.object({
  runId: z.string(),
  configuration: z.string(),
  task: z.string(),
  repeat: z.number(),
  outcome: z.enum(['success', 'failure', 'degraded', 'broken', 'not-run']),
  grade: z.object({ pass: z.boolean(), score: z.number().catch(0) }),
  versions: z.array(z.array(z.boolean())),
});

/** Throws `StateError` for files that are damaged; a last record that a crash left half is left out. */
export async function readIndex(folder: string, headerText: string): Promise<EvaluationIndex> {
  const header = Header.safeParse(parsed(headerText));
  if (!header.success) throw damaged(join(folder, headerFile), z.prettifyError(header.error));
  const { suite, graders, configurations } = header.data;
  const runs = await readRecords(join(folder, recordsFile));
  return {
    suite,
    graders,
    models: new Map(configurations.map(({ name, models }) => [name, models])),
    runs: runs.sort((a, b) => (a.task < b.task ? -1 : Number(a.task > b.task))),
  };
}

async function readRecords(file: string): Promise<IndexedRun[]> {
  const byRun = new Map<string, IndexedRun>();
  if (!existsSync(file)) return [];
  let torn: string | undefined;
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (torn !== undefined) throw damaged(`${file}, line ${number}`, torn);
    number++;
    if (text.trim() === '') continue;
    const line = Line.safeParse(parsed(text));
    // A run that was done again stands further down.
    if (line.success) byRun.set(line.data.runId, line.data);
    else torn = z.prettifyError(line.error);
  }
  return [...byRun.values()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(what: string, why: string): StateError {
  return new StateError(`${what} is damaged: ${why}. Run the evaluation again; what it bought is in the cache.`);
}
