/** Makes training files of recorded runs, with a card that says what is in them. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ZodType } from 'zod';
import { messageOf, StateError, UsageError } from '../../core/errors.ts';
import { redactor } from '../../trace/redact.ts';
import { type CohOptions, checkCohOptions, cohExamples } from './coh.ts';
import { cardText } from './data-card.ts';
import { type DpoShape, dpoExamples, dpoSchemas } from './dpo.ts';
import type { Example, Split, TaskGroup } from './example.ts';
import { ExampleWriter } from './example-writer.ts';
import type { ExportRun } from './export-run.ts';
import type { LengthBias } from './length-bias.ts';
import { RowFile } from './row-file.ts';
import { type DropReason, dropReasons, type SelectOptions, selectRuns, Tally } from './select-runs.ts';
import { type SftShape, sftExamples, sftSchemas } from './sft.ts';
import { HindsightRow } from './shapes.ts';
import { TaskSplit } from './task-split.ts';

export interface ExportOptions extends SelectOptions {
  /** Made when it is not there. Gets `train.jsonl`, `validation.jsonl` and `data-card.md`; earlier ones are replaced. */
  folder: string;
  /** Where the runs come from, for the card. */
  source: string;
  /** Share of the tasks for validation, 0 to below 1. Default 0. */
  validation?: number | undefined;
  /** Rows at most of one task: rows of a conversation count as one. Default 4. */
  perTask?: number | undefined;
  /** Decides splits and all that is drawn. Default `assay`. */
  seed?: string | undefined;
  /** Texts that must not leave, beside the secrets of the environment. */
  secrets?: readonly string[] | undefined;
  /** For the card. Default: to be filled in. */
  licence?: string | undefined;
}

export interface SftOptions extends ExportOptions {
  /** Default `openai`. */
  shape?: SftShape | undefined;
}

export interface DpoOptions extends ExportOptions {
  /** Default `trl`. */
  shape?: DpoShape | undefined;
  /** Least difference of the two scores. Default 0. */
  margin?: number | undefined;
}

export interface ExportedFile {
  split: Split;
  path: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface ExportSummary {
  kind: 'sft' | 'dpo' | 'coh';
  shape: string;
  files: ExportedFile[];
  card: string;
  runs: number;
  used: number;
  /** Left out, by the reason: runs, and examples of `tool-answer`, `over-limit`, `duplicate` and `unfit`. */
  dropped: Partial<Record<DropReason, number>>;
  /** Rows with the real conversation, with an answer that a model judged, and with an answer whose tool results are not in the row. */
  rebuilt: number;
  modelJudged: number;
  unseenEvidence: number;
  lengths?: LengthBias | undefined;
}

type Runs = AsyncIterable<ExportRun> | Iterable<ExportRun>;

/**
 * Chats of runs that succeeded, to be imitated: the recorded conversation where it was rebuilt, else question and answer. Throws `UsageError`
 * when there are none.
 */
export function exportSft(runs: Runs, options: SftOptions): Promise<ExportSummary> {
  const { shape = 'openai' } = options;
  const make = (group: TaskGroup): Example[] => sftExamples(group, shape);
  return exportRows(runs, options, { kind: 'sft', shape, schema: sftSchemas[shape], make });
}

/** Pairs of an answer that passed and one that did not. Throws `UsageError` when there are none. */
export function exportDpo(runs: Runs, options: DpoOptions): Promise<ExportSummary> {
  const { shape = 'trl', margin = 0, perTask = defaultPerTask } = options;
  if (!(margin >= 0 && margin <= 1)) throw new UsageError(`margin is ${margin}: scores differ by 0 to 1`);
  const make = (group: TaskGroup): Example[] => dpoExamples(group, { shape, margin, perTask });
  return exportRows(runs, options, { kind: 'dpo', shape, schema: dpoSchemas[shape], make });
}

/** Chains of Hindsight. Throws `UsageError` when there are none, and for options that cannot be meant. */
export function exportCoh(runs: Runs, options: ExportOptions & CohOptions): Promise<ExportSummary> {
  checkCohOptions(options);
  const { seed = defaultSeed, perTask = defaultPerTask } = options;
  const make = (group: TaskGroup): Example[] => cohExamples(group, { ...options, seed, perTask });
  return exportRows(runs, options, { kind: 'coh', shape: 'segments', schema: HindsightRow, make });
}

const defaultPerTask = 4;
const defaultSeed = 'assay';

interface Maker {
  kind: ExportSummary['kind'];
  shape: string;
  schema: ZodType;
  make(group: TaskGroup): Example[];
}

async function exportRows(runs: Runs, options: ExportOptions, maker: Maker): Promise<ExportSummary> {
  const { validation = 0, perTask = defaultPerTask, seed = defaultSeed, secrets = [] } = options;
  if (!(validation >= 0 && validation < 1))
    throw new UsageError(`validation is ${validation}: give a share from 0 to below 1`);
  if (!(Number.isInteger(perTask) && perTask >= 1))
    throw new UsageError(`perTask is ${perTask}: give a whole number of at least 1`);
  await makeFolder(options.folder);
  const files = new Map<Split, RowFile>();
  try {
    for (const split of validation > 0 ? (['train', 'validation'] as const) : (['train'] as const))
      files.set(split, await RowFile.create(join(options.folder, `${split}.jsonl`)));
    const tally = new Tally();
    const unused = maker.kind === 'sft' ? 'failed' : 'no-counterpart';
    const { toolAnswers } = options;
    const writer = new ExampleWriter({ files, schema: maker.schema, perTask, tally, toolAnswers, unused });
    const selection = { options, redact: redactor({ secrets }), split: new TaskSplit(seed, validation), tally };
    for await (const group of selectRuns(runs, selection)) await writer.add(group, maker.make(group));
    return await finish(writer, { files, options, maker });
  } catch (error) {
    await Promise.allSettled([...files.values()].map((file) => file.discard()));
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StateError(`The folder ${folder} cannot be made: ${messageOf(error)}. Name another.`);
  }
}

interface Finishing {
  files: ReadonlyMap<Split, RowFile>;
  options: ExportOptions;
  maker: Maker;
}

async function finish(writer: ExampleWriter, { files, options, maker }: Finishing): Promise<ExportSummary> {
  const { tally, rebuilt, modelJudged, unseenEvidence } = writer;
  const written: ExportedFile[] = [];
  for (const [split, file] of files) {
    const sha256 = await file.seal();
    written.push({ split, path: file.path, rows: file.rows, bytes: file.bytes, sha256 });
  }
  if (written.every(({ rows }) => rows === 0)) throw new UsageError(nothingMade(tally, writer.unfit));
  const summary: ExportSummary = {
    kind: maker.kind,
    shape: maker.shape,
    files: written,
    card: join(options.folder, 'data-card.md'),
    runs: tally.runs,
    used: writer.usedRuns,
    dropped: Object.fromEntries(tally.dropped),
    rebuilt,
    modelJudged,
    unseenEvidence,
    lengths: maker.kind === 'dpo' ? writer.lengths.result() : undefined,
  };
  const card = await RowFile.create(summary.card);
  try {
    await card.write(cardText({ summary, options, tally, verdicts: writer.verdicts, unfit: writer.unfit }));
    await card.seal();
    for (const file of files.values()) await file.publish();
    await card.publish();
    // Else one of an earlier export would pass for a part of this.
    if (!files.has('validation')) await rm(join(options.folder, 'validation.jsonl'), { force: true });
  } catch (error) {
    await card.discard();
    throw error;
  }
  return summary;
}

function nothingMade({ runs, dropped }: Tally, unfit: string | undefined): string {
  if (runs === 0) return 'There are no runs to export from.';
  const why = [...dropped].map(([reason, count]) => `${count}: ${dropReasons[reason]}`).join('; ');
  return `No row could be made of ${runs} runs. Left out: ${why}${unfit === undefined ? '' : ` (${unfit})`}.`;
}
