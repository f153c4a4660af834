/** One run in the terminal, from its settings to its exit code: what `run`, `demo`, `resume` and `approve` have in common. */
import { closeSync, openSync } from 'node:fs';
import type { Agent } from '../agent.ts';
import { messageOf, UsageError } from '../core/errors.ts';
import type { Sink } from '../core/event.ts';
import type { Result } from '../core/result.ts';
import type { RunHandle } from '../run-handle.ts';
import { fanOut } from '../trace/fan-out.ts';
import { openWorkshop, type Workshop } from './build-agent.ts';
import { cleanLine } from './clean.ts';
import { type CommandContext, printJson } from './command.ts';
import { type Drive, drive } from './drive.ts';
import { openEvents, workersExecute } from './engine.ts';
import type { ExitCode } from './exit-codes.ts';
import { followStored } from './follow-stored.ts';
import { commandName } from './hints.ts';
import { othersToStderr } from './others-output.ts';
import { openRemote } from './remote-agent.ts';
import { resultJson, resultText } from './result-text.ts';
import type { Settings } from './settings.ts';
import { renderRow, shownKey, Timeline } from './timeline.ts';

export interface Session {
  settings: Settings;
  /** A run whose recorded events were shown before. */
  resumes?: string;
  /** A file that gets every event as a line of JSON. */
  eventsFile?: string | undefined;
  /** Of a run that is there already: its workflow, as the engine has it. */
  workflow?: string;
  /** The user knows already what kind of model answers. */
  introduced?: boolean;
  begin(agent: Agent): RunHandle;
  /** Tells the Result, instead of printing it. */
  tell?(result: Result): void;
}

/** Builds the agent, goes through the run, tells how it ended. */
export async function runSession(session: Session, context: CommandContext): Promise<ExitCode> {
  const { screen, json, home } = context;
  const { settings, workflow } = session;
  const shown = session.resumes === undefined ? new Set<string>() : await shownBefore(session.resumes, context);
  const timeline = new Timeline({ screen, shown });
  const sinks = [...(json ? [] : [timeline]), ...(await eventsSink(session.eventsFile))];
  const onWarning = (message: string): void =>
    screen.note(renderRow({ label: 'warning', text: cleanLine(message), tone: 'yellow' }, screen));
  const elsewhere = workersExecute(context);
  const workshop = elsewhere
    ? await openRemote(settings, { home, workflow, onWarning })
    : await openWorkshop(settings, { home, sinks, workflow, onWarning });
  if (!session.introduced) sayIfScripted(workshop, context);
  const watched = elsewhere ? watch(workshop, { sinks, shown, onWarning }, context) : undefined;
  const tell = session.tell ?? ((result: Result) => tellResult(result, context));
  try {
    const driven: Drive = {
      workshop,
      context,
      begin: (agent) => {
        const handle = session.begin(agent);
        watched?.begin(handle.id);
        return handle;
      },
      tidy: () => timeline.close(),
      tell: async (result) => {
        await watched?.stop();
        tell(result);
      },
    };
    return await (json ? othersToStderr(() => drive(driven)) : drive(driven));
  } finally {
    await watched?.stop();
    timeline.close();
  }
}

/** Hands the events of a run that a worker executes to the sinks. */
function watch(
  { events }: Workshop,
  to: { sinks: readonly Sink[]; shown: ReadonlySet<string>; onWarning(message: string): void },
  { screen, home }: CommandContext,
): { begin(runId: string): void; stop(): Promise<void> } {
  const fan = fanOut(to.sinks, (sink, why) => to.onWarning(`The event sink '${sink}' failed: ${why}`));
  const quiet = (): void =>
    screen.note(`Nothing was heard of the run yet. If no worker runs, start one: ${commandName()} worker${home.typed}`);
  let followed: ReturnType<typeof followStored> | undefined;
  return {
    begin: (runId) => {
      const follower = { write: fan.write, warn: to.onWarning, quiet, known: to.shown };
      followed = followStored(events, runId, follower);
    },
    stop: async () => {
      await followed?.stop();
      await fan.close();
    },
  };
}

/** The Result on stdout, as text or as JSON. */
export function tellResult(result: Result, context: CommandContext): void {
  const { screen, json } = context;
  if (json) printJson(context, resultJson(result));
  else {
    screen.note('');
    const { outColumns, outStyle } = screen;
    screen.out(resultText(result, { outColumns, outStyle, typed: context.home.typed }));
  }
}

async function shownBefore(runId: string, context: CommandContext): Promise<ReadonlySet<string>> {
  const store = await openEvents(context.home.runs);
  try {
    return new Set((await store.read(runId)).map(shownKey));
  } finally {
    await store.close();
  }
}

/** A sink reports a failing disk while the run goes on; a path that cannot be opened at all is told before it begins. */
async function eventsSink(file: string | undefined): Promise<Sink[]> {
  if (file === undefined) return [];
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new UsageError(
      `--events ${file} cannot be written (${messageOf(error)}). Name a file in an existing folder.`,
    );
  }
  const { jsonlSink } = await import('../trace/jsonl-sink.ts');
  return [jsonlSink(file)];
}

function sayIfScripted(workshop: Workshop, { screen }: CommandContext): void {
  const said = workshop.source === undefined ? undefined : sources[workshop.source];
  if (said !== undefined) screen.note(renderRow({ label: '', text: said, tone: 'dim' }, screen));
}

const sources: Readonly<Partial<Record<NonNullable<Workshop['source']>, string>>> = {
  scripted: 'a script gives the replies; tools, checks, journal and memory are real',
  replayed: 'recorded replies are given again; tools, checks, journal and memory are real',
};
