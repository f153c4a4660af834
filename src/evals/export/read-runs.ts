/**
 * Recorded runs as material for training data: those of an evaluation with the verdicts of its graders, or those of a home with the
 * verdicts of the checks and evaluators that were part of the run. Sorted by task; one run is held at a time, beside an index.
 */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentOptions, RunInput } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import type { ModelSource } from '../../model/capability.ts';
import { journalEntryOf } from '../../runtime/engine.ts';
import { nodeSqlite } from '../../runtime/node-sqlite.ts';
import type { Recording } from '../../runtime/replay-journal.ts';
import { SqliteStore } from '../../runtime/sqlite-store.ts';
import type { RunRecord } from '../../runtime/store.ts';
import { type SqliteEventStore, sqliteEvents } from '../../trace/event-store.ts';
import { type EvaluationIndex, headerFile, readIndex } from './evaluation-index.ts';
import type { ExportModel, ExportRun } from './export-run.ts';
import { rebuildConversation } from './rebuild.ts';
import { gradedVerdict, verdictOf } from './verdicts.ts';
import { gradedAnswers, judgedAnswers } from './versions.ts';

/** What an agent is made again from, to rebuild a conversation. */
export interface RecordedSetting {
  runId: string;
  input: RunInput;
  /** Those of an evaluation, which a home does not have. */
  configuration?: string | undefined;
  task?: string | undefined;
  repeat?: number | undefined;
}

export interface ReadOptions {
  /** The agent that made a run, so that its conversation can be rebuilt; it is not run and its models need no key. Undefined: not known. */
  agentOf?(setting: RecordedSetting): Promise<AgentOptions | undefined> | AgentOptions | undefined;
  /** What stands behind a model of a home whose run does not tell. */
  sourceOf?(modelId: string): ModelSource | undefined;
}

const runsFile = 'assay.db';

interface Archive {
  store: SqliteStore;
  events: SqliteEventStore;
  options: ReadOptions;
}

/** Throws `UsageError` for a folder without runs, `StateError` for one that cannot be read. */
export async function* readExportRuns(folder: string, options: ReadOptions = {}): AsyncGenerator<ExportRun> {
  const file = join(folder, runsFile);
  if (!existsSync(file))
    throw new UsageError(
      `${folder} holds no runs: it has no ${runsFile}. Name the folder of an evaluation, or a home such as .assay.`,
    );
  const header = join(folder, headerFile);
  const index = existsSync(header) ? await readIndex(folder, await readFile(header, 'utf8')) : undefined;
  const archive = { store: new SqliteStore({ file }), events: sqliteEvents({ file }), options };
  try {
    yield* index ? evaluationRuns(index, archive) : homeRuns(file, archive);
  } finally {
    archive.events.close();
    archive.store.close();
  }
}

async function* evaluationRuns(index: EvaluationIndex, archive: Archive): AsyncGenerator<ExportRun> {
  const { suite, graders, models } = index;
  for (const line of index.runs) {
    const stored = storedRun(line.runId, archive);
    if (!stored) continue;
    const { configuration, task, repeat, outcome, grade, versions } = line;
    const run = await exportRun(stored, archive, { configuration, task, repeat });
    const graded = outcome === 'success' || outcome === 'failure';
    yield {
      ...run,
      taskKey: `${suite}/${task}`,
      suite,
      configuration,
      degraded: run.degraded || outcome === 'degraded',
      verdict: graded ? gradedVerdict(grade, graders) : undefined,
      versions: gradedAnswers(archive.events.read(line.runId), versions, (pass) =>
        gradedVerdict({ pass, score: Number(pass) }, graders),
      ),
      models: models.get(configuration) ?? [],
    };
  }
}

async function* homeRuns(file: string, archive: Archive): AsyncGenerator<ExportRun> {
  const keyed = runIds(file).flatMap((id) => {
    const stored = storedRun(id, archive);
    return stored ? [{ id, key: taskKeyOf(stored.input) }] : [];
  });
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  for (const { id, key } of keyed) {
    const stored = storedRun(id, archive);
    if (!stored) continue;
    const { reports } = stored.result.attempt;
    const judged = judgedAnswers(archive.events.read(id));
    const versions = judged.filter(({ answer }) => answer !== stored.result.answer);
    yield {
      ...(await exportRun(stored, archive, {})),
      taskKey: key,
      verdict: isSettled(stored.result) ? verdictOf(reports) : undefined,
      versions,
      models: modelsOf(stored, archive),
    };
  }
}

/** A run that was interrupted left what it had, under a verdict that may be on something else. */
function isSettled({ status }: Result): boolean {
  return status === 'completed' || status === 'revised' || status === 'needs_more_evidence' || status === 'stopped';
}

/** Ids only, oldest first: the rows hold whole Results. A run that another one started is part of that one. */
function runIds(file: string): string[] {
  const database = new (nodeSqlite().DatabaseSync)(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT id FROM runs WHERE parent IS NULL ORDER BY n').all();
    return rows.map((row) => String(row['id']));
  } finally {
    database.close();
  }
}

interface Stored {
  record: RunRecord;
  input: RunInput;
  result: Result;
}

/** Undefined for a run that is not finished or that no agent made. */
function storedRun(id: string, { store }: Archive): Stored | undefined {
  const record = store.find(id);
  const output = record?.output?.read();
  const isResult = typeof output === 'object' && output !== null && 'status' in output && 'attempt' in output;
  if (!record?.input || !isResult) return undefined;
  // Only an agent writes such an output, and it stores its runs with a RunInput.
  return { record, input: JSON.parse(record.input) as RunInput, result: output as Result };
}

type Setting = Omit<RecordedSetting, 'runId' | 'input'>;
type Common = Pick<ExportRun, 'runId' | 'task' | 'answer' | 'degraded' | 'edited' | 'usedTools' | 'conversation'>;

async function exportRun({ record, input, result }: Stored, archive: Archive, setting: Setting): Promise<Common> {
  const { store, options } = archive;
  const agent = await options.agentOf?.({ runId: record.id, input, ...setting });
  return {
    runId: record.id,
    task: input.task,
    answer: result.answer,
    degraded: result.attempt.degraded,
    edited: input.edited !== undefined,
    usedTools: result.attempt.observations.length > 0,
    conversation: agent && (await rebuildConversation(recordingOf(record, input, store), result, agent)),
  };
}

function recordingOf(
  { n, id, workflow, version, seed, began }: RunRecord,
  input: RunInput,
  store: SqliteStore,
): Recording {
  const entries = store.entries(n, 0, Number.POSITIVE_INFINITY).map(journalEntryOf);
  return { id, workflow, version, seed, began, input, entries };
}

function taskKeyOf({ task }: RunInput): string {
  return hash('sha256', canonicalJson([task.input, task.constraints, task.outputSchema ?? null])).slice(0, 32);
}

/** The ids that the command line stores begin with what stands behind them. */
const standIns: Readonly<Record<string, ModelSource>> = {
  script: 'scripted',
  replay: 'replayed',
  exec: 'command',
  local: 'local',
};

function modelsOf({ record, input }: Stored, { events, options }: Archive): ExportModel[] {
  const chosen: unknown = Reflect.get(Object(input.settings), 'model');
  if (typeof chosen === 'string') {
    const others: unknown = Reflect.get(Object(input.settings), 'fallbacks');
    return [chosen, ...(Array.isArray(others) ? others.map(String) : [])].map((id) => ({
      id,
      source: standIns[id.split(':', 1)[0]?.toLowerCase() ?? ''] ?? 'provider',
    }));
  }
  const ids = new Set(events.read(record.id).flatMap((event) => (event.type === 'model.call' ? [event.model] : [])));
  return [...ids].map((id) => ({ id, source: options.sourceOf?.(id) ?? 'unknown' }));
}
