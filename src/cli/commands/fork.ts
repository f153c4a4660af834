import type { Agent } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { RunHandle } from '../../run-handle.ts';
import type { DurableHost, RunInfo } from '../../runtime/durable.ts';
import { type Command, textOption } from '../command.ts';
import { findRun } from '../find-run.ts';
import { openArchive } from '../home.ts';
import { changedSettings } from '../run-options.ts';
import { runSession } from '../run-session.ts';
import { settingsJson } from '../settings.ts';
import { storedSettings } from '../stored-settings.ts';
import { renderRow } from '../timeline.ts';

/** `assay fork RUN --at STEP`: a new run that repeats a recorded one up to a step, at no cost, and goes on live from there. */
export const command: Command = async (context) => {
  const { screen } = context;
  const archive = await openArchive(context.home);
  const runId = crypto.randomUUID();
  try {
    const run = await findRun(archive.host, context.args[0] ?? '');
    const settings = { ...storedSettings(run.id, run.input), ...changedSettings(context) };
    const at = await stepOf(archive.host, run, textOption(context, 'at'));
    screen.note(renderRow({ label: 'forks', text: `${run.id} after step ${at}`, tone: 'dim' }, screen));
    const begin = (agent: Agent): RunHandle => agent.fork(run.id, { at, runId, settings: settingsJson(settings) });
    return await runSession({ settings, begin }, context);
  } finally {
    await archive.close();
  }
};

/** A journal entry by its number or its key, such as `turn#2`. */
async function stepOf(host: DurableHost, run: RunInfo, named: string | undefined): Promise<number> {
  const entries: { seq: number; key: string }[] = [];
  for await (const { seq, key } of host.journal(run.id)) entries.push({ seq, key });
  const found = entries.find(({ seq, key }) => String(seq) === named || key === named);
  if (found) return found.seq;
  const some = entries.slice(0, 12).map(({ seq, key }) => `${seq} ${key}`);
  const said = named === undefined ? 'Say where to branch off with --at' : `The run ${run.id} has no step '${named}'`;
  throw new UsageError(`${said}: a number or a key of its journal, such as ${some.join(', ') || 'none: it is empty'}.`);
}
