import { readFile } from 'node:fs/promises';
import { Agent, type ForkRunOptions } from '../../agent.ts';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { RunHandle } from '../../run-handle.ts';
import type { DurableHost, RunInfo } from '../../runtime/durable.ts';
import { Inspector } from '../../server/inspect/inspector.ts';
import { agentFor } from '../build-agent.ts';
import { type Command, textOption } from '../command.ts';
import { workersExecute } from '../engine.ts';
import { findRun } from '../find-run.ts';
import { type Archive, openArchive } from '../home.ts';
import { count } from '../numbers.ts';
import { refuseWorkersOptions } from '../remote-agent.ts';
import { changedSettings } from '../run-options.ts';
import { runSession } from '../run-session.ts';
import { keptSettings, settingsOf } from '../stored-settings.ts';
import { renderRow } from '../timeline.ts';

/**
 * `assay fork RUN --at STEP`: a new run that repeats a recorded one up to a step, at no cost, and goes on live from there; with
 * `--observation` as if the tool of that step had returned what the file says.
 */
export const command: Command = async (context) => {
  refuseWorkersOptions(context, ['model']);
  const { screen } = context;
  const { run, at, observation } = await placeOf(context);
  const settings = { ...settingsOf(run, context), ...changedSettings(context) };
  const runId = textOption(context, 'runId') ?? crypto.randomUUID();
  screen.note(renderRow({ label: 'forks', text: `${run.id} after step ${at.seq}, ${at.key}`, tone: 'dim' }, screen));
  const begin = (agent: Agent): RunHandle =>
    agent.fork(run.id, { at: at.seq, runId, ...(observation && { observation }), ...keptSettings(settings, context) });
  // With another model it is a run of the agent that the settings make.
  const isSame = textOption(context, 'model') === undefined;
  return runSession({ settings, ...(isSame && { workflow: run.workflow }), begin }, context);
};

interface Place {
  seq: number;
  key: string;
}

type Context = Parameters<Command>[0];
type Observed = ForkRunOptions['observation'];

async function placeOf(context: Context): Promise<{ run: RunInfo; at: Place; observation: Observed }> {
  const archive = await openArchive(context.home);
  try {
    const run = await findRun(archive.host, context.args[0] ?? '');
    const at = await stepOf(archive.host, run, textOption(context, 'at'));
    return { run, at, observation: await observationOf(run, at, { archive, context }) };
  } finally {
    await archive.close();
  }
}

/** What the file says, as the observation that the step made. */
async function observationOf(
  run: RunInfo,
  { seq, key }: Place,
  { archive, context }: { archive: Archive; context: Context },
): Promise<Observed> {
  const file = textOption(context, 'observation');
  if (file === undefined) return undefined;
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--observation ${file} cannot be read (${messageOf(error)}). Name a text file.`);
  });
  const { home } = context;
  const { agent: made, store } = await agentFor(settingsOf(run, context), { home, elsewhere: workersExecute(context) });
  try {
    const agent = new Agent({ ...made, name: run.workflow, host: archive.host });
    const all = await new Inspector({ events: archive.events }).observations({ agent, run });
    const seen = all.find((one) => one.seq === seq);
    if (seen) return { id: seen.observation.id, content };
  } finally {
    await store?.close();
  }
  throw new UsageError(
    `The step ${seq}, ${key}, made no observation, so --observation has nothing to replace. Choose the step of a tool call.`,
  );
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
