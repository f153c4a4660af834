import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Knowledge } from '../../core/attempt.ts';
import type { Example, SelectedRun, Split, TaskGroup } from './example.ts';
import { LengthCount } from './length-bias.ts';
import type { RowFile } from './row-file.ts';
import type { DropReason, SelectOptions, Tally } from './select-runs.ts';

interface WriterParts {
  files: ReadonlyMap<Split, RowFile>;
  /** Every row is checked against it before it is written. */
  schema: z.ZodType;
  perTask: number;
  tally: Tally;
  toolAnswers: SelectOptions['toolAnswers'];
  /** Why a run is in no example of its task. */
  unused: DropReason;
}

interface Made {
  inExamples: ReadonlySet<string>;
  written: ReadonlySet<string>;
  /** There was no room for another pair. */
  isFull: boolean;
}

/** Writes the examples of one task after the other, and counts what they are made of. */
export class ExampleWriter {
  readonly tally: Tally;
  readonly lengths: LengthCount = new LengthCount();
  /** Rows by who judged their answers. */
  readonly verdicts: Map<Knowledge, number> = new Map();
  usedRuns = 0;
  rebuilt = 0;
  modelJudged = 0;
  unseenEvidence = 0;
  /** Why the first row that did not fit its shape did not. */
  unfit: string | undefined;
  readonly #parts: WriterParts;
  /** Of the rows so far: 16 bytes for each. */
  readonly #seen: Set<string> = new Set();

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.tally = parts.tally;
  }

  async add(group: TaskGroup, examples: readonly Example[]): Promise<void> {
    const inExamples = new Set(examples.flatMap(({ answers }) => answers.map(({ runId }) => runId)));
    const written = new Set<string>();
    let left = this.#parts.perTask;
    for (const example of examples) {
      if (example.unseenEvidence && this.#parts.toolAnswers === 'drop') this.tally.drop('tool-answer');
      else if (left === 0) this.tally.drop('over-limit');
      else if (await this.#write(example, group.split)) {
        left--;
        for (const { runId } of example.answers) written.add(runId);
      }
    }
    const isFull = this.#parts.unused === 'no-counterpart' && examples.length >= this.#parts.perTask;
    for (const selected of group.runs) this.#account(selected, { inExamples, written, isFull });
  }

  #account({ run }: SelectedRun, made: Made): void {
    const { runId, configuration, models, suite } = run;
    if (!made.inExamples.has(runId)) this.tally.drop(made.isFull ? 'over-limit' : this.#parts.unused);
    if (!made.written.has(runId)) return;
    this.usedRuns++;
    const { configurations, models: named, suites } = this.tally;
    if (configuration !== undefined) configurations.set(configuration, (configurations.get(configuration) ?? 0) + 1);
    if (suite !== undefined) suites.add(suite);
    for (const { id, source } of models) named.set(`${id} (${source})`, (named.get(`${id} (${source})`) ?? 0) + 1);
  }

  async #write(example: Example, split: Split): Promise<boolean> {
    const { rows, answers } = example;
    const refused = this.#refusal(rows);
    if (refused) {
      this.tally.drop(refused);
      return false;
    }
    const file = this.#parts.files.get(split);
    for (const row of rows) await file?.write(JSON.stringify(row));
    const judges = new Set(answers.map(({ verdict }) => verdict.knows));
    for (const knows of judges) this.verdicts.set(knows, (this.verdicts.get(knows) ?? 0) + 1);
    this.modelJudged += Number(judges.has('another-model'));
    this.rebuilt += Number(example.rebuilt);
    this.unseenEvidence += Number(example.unseenEvidence);
    const [chosen, rejected] = answers;
    if (chosen && rejected) this.lengths.add(chosen.answer, rejected.answer);
    return true;
  }

  #refusal(rows: readonly object[]): 'duplicate' | 'unfit' | undefined {
    const key = hash('sha256', JSON.stringify(rows), 'base64url').slice(0, 22);
    if (this.#seen.has(key)) return 'duplicate';
    for (const row of rows) {
      const fitted = this.#parts.schema.safeParse(row);
      if (fitted.success) continue;
      this.unfit ??= z.prettifyError(fitted.error);
      return 'unfit';
    }
    this.#seen.add(key);
    return undefined;
  }
}
