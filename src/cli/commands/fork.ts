import type { Agent } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { RunHandle } from '../../run-handle.ts';
import type { DurableHost, RunInfo } from '../../runtime/durable.ts';
import { type Command, textOption } from '../command.ts';
import { findRun } from '../find-run.ts';
import { openArchive } from '../home.ts';
import { count } from '../numbers.ts';
import { refuseWorkersOptions } from '../remote-agent.ts';
import { changedSettings } from '../run-options.ts';
import { runSession } from '../run-session.ts';
import { keptSettings, settingsOf } from '../stored-settings.ts';
import { renderRow } from '../timeline.ts';

/** `assay fork RUN --at STEP`: a new run that repeats a recorded one up to a step, at no cost, and goes on live from there. */
export const command: Command = async (context) => {
  refuseWorkersOptions(context, ['model']);
  const { screen } = context;
  const { run, at } = await placeOf(context);
  const settings = { ...settingsOf(run, context), ...changedSettings(context) };
  const runId = textOption(context, 'runId') ?? crypto.randomUUID();
  screen.note(renderRow({ label: 'forks', text: `${run.id} after step ${at.seq}, ${at.key}`, tone: 'dim' }, screen));
  const begin = (agent: Agent): RunHandle =>
    agent.fork(run.id, { at: at.seq, runId, ...keptSettings(settings, context) });
  return runSession({ settings, workflow: run.workflow, begin }, context);
};

interface Place {
  seq: number;
  key: string;
}

async function placeOf(context: Parameters<Command>[0]): Promise<{ run: RunInfo; at: Place }> {
  const archive = await openArchive(context.home);
  try {
    const run = await findRun(archive.host, context.args[0] ?? '');
    return { run, at: await stepOf(archive.host, run, textOption(context, 'at')) };
  } finally {
    await archive.close();
  }
}

const listed = 40;

/** A journal entry by its number or its key, such as `turn#2`. */
async function stepOf(host: DurableHost, run: RunInfo, named: string | undefined): Promise<Place> {
  const entries: Place[] = [];
  for await (const { seq, key } of host.journal(run.id)) entries.push({ seq, key });
  const found = entries.find(({ seq, key }) => String(seq) === named || key === named);
  if (found) return found;
  const said = named === undefined ? 'Say where to branch off with --at' : `The run ${run.id} has no step '${named}'`;
  if (entries.length === 0) throw new UsageError(`${said}. Nothing of it is recorded yet: start a new run instead.`);
  const lines = entries.slice(0, listed).map(({ seq, key }) => `  ${seq} ${key}`);
  const more = entries.length > listed ? `\n  and ${count(entries.length - listed)} more` : '';
  throw new UsageError(`${said}. Choose one by its number or key:\n${lines.join('\n')}${more}`);
}
