import { existsSync } from 'node:fs';
import type { DurableHost, RunInfo } from '../../runtime/durable.ts';
import { storedResult } from '../../stored-result.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, numberOption, printJson, textOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { standingOf } from '../find-run.ts';
import { commandName, shortId } from '../hints.ts';
import { openArchive } from '../home.ts';
import { age, count } from '../numbers.ts';
import type { Screen } from '../screen.ts';
import { taskOf } from '../task-of.ts';
import { cut, pad, widthOf } from '../width.ts';

/** One line of the list. */
interface Listed {
  id: string;
  /** The status of its Result, else how it stands. */
  status: string;
  created: number;
  task: string;
  tokens: number | undefined;
  usd: number | undefined;
  unpricedCalls: number | undefined;
  forkedFrom?: string;
}

/** `assay runs`: the newest runs, one a line. */
export const command: Command = async (context) => {
  const listed = context.home.engine.name !== 'sqlite' || existsSync(context.home.runs) ? await readRuns(context) : [];
  if (context.json) printJson(context, listed);
  else if (listed.length > 0) context.screen.out(table(listed, context.screen));
  else context.screen.note(`No runs in ${placeOf(context)}. Start one: ${commandName()} run TASK${context.home.typed}`);
  return exitCodes.completed;
};

function placeOf({ home }: CommandContext): string {
  return home.engine.name === 'sqlite' ? home.folder : `the engine at ${home.engine.at}`;
}

async function readRuns(context: CommandContext): Promise<Listed[]> {
  const wanted = textOption(context, 'state')?.toLowerCase().replaceAll('-', '_');
  const limit = numberOption(context, 'limit') ?? 20;
  const archive = await openArchive(context.home);
  try {
    const runs = await archive.host.list(wanted === undefined ? { limit } : {});
    const listed = await Promise.all(runs.map((run) => listedRun(archive.host, run)));
    return listed.filter((run) => wanted === undefined || run.status === wanted).slice(0, limit);
  } finally {
    await archive.close();
  }
}

async function listedRun(host: DurableHost, run: RunInfo): Promise<Listed> {
  const result = storedResult(run);
  const state = await standingOf(host, run);
  return {
    id: run.id,
    status: result?.status ?? (state === 'suspended' ? 'awaiting_approval' : state),
    created: run.created,
    task: taskOf(run).input,
    tokens: result?.usage.tokens,
    usd: result?.usage.usd,
    unpricedCalls: result?.usage.unpricedCalls,
    ...(run.forkedFrom !== undefined && { forkedFrom: run.forkedFrom }),
  };
}

const longestId = 20;

function table(listed: readonly Listed[], screen: Screen): string {
  const heads = ['RUN', 'STATUS', 'AGE', 'TOKENS', 'COST'];
  const rows = listed.map((run) => [
    cut(shortId(run.id), longestId),
    run.status.replaceAll('_', ' '),
    age(Date.now() - run.created),
    run.tokens === undefined ? '-' : count(run.tokens),
    costCell(run),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => widthOf(row[column] ?? ''))));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ');
  const room = Math.max(10, (screen.outColumns ?? 120) - widthOf(line(heads)) - 2);
  const body = rows.map((row, index) => {
    const task = cut(cleanLine(listed[index]?.task ?? ''), room);
    return `${line(row)}  ${task}`.trimEnd();
  });
  return [screen.outStyle.dim(`${line(heads)}  TASK`), ...body].join('\n');
}

function costCell({ usd, unpricedCalls }: Listed): string {
  if (usd === undefined || unpricedCalls === undefined) return '-';
  if (unpricedCalls > 0) return usd > 0 ? `>$${usd.toFixed(4)}` : 'unknown';
  return usd > 0 ? `$${usd.toFixed(4)}` : 'none';
}
