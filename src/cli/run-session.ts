/** One run in the terminal, from its settings to its exit code: what `run`, `demo`, `resume` and `approve` have in common. */
import { closeSync, openSync } from 'node:fs';
import type { Agent } from '../agent.ts';
import { messageOf, UsageError } from '../core/errors.ts';
import type { Sink } from '../core/event.ts';
import type { Result } from '../core/result.ts';
import type { RunHandle } from '../run-handle.ts';
import { openWorkshop, type Workshop } from './build-agent.ts';
import { cleanLine } from './clean.ts';
import { type CommandContext, printJson } from './command.ts';
import { drive } from './drive.ts';
import { openEvents } from './engine.ts';
import type { ExitCode } from './exit-codes.ts';
import { followStored } from './follow-stored.ts';
import { resultJson, resultText } from './result-text.ts';
import type { Settings } from './settings.ts';
import { renderRow, shownKey, Timeline } from './timeline.ts';

export interface Session {
  settings: Settings;
  /** A run whose recorded events were shown before. */
  resumes?: string;
  /** A file that gets every event as a line of JSON. */
  eventsFile?: string | undefined;
  /** The user knows already what kind of model answers. */
  introduced?: boolean;
  begin(agent: Agent): RunHandle;
  /** Tells the Result, instead of printing it. */
  tell?(result: Result): void;
}

/** Builds the agent, goes through the run, tells how it ended. */
export async function runSession(session: Session, context: CommandContext): Promise<ExitCode> {
  const { screen, json } = context;
  const shown = session.resumes === undefined ? undefined : await shownBefore(session.resumes, context);
  const timeline = new Timeline({ screen, ...(shown && { shown }) });
  const workshop = await openWorkshop(session.settings, {
    home: context.home,
    sinks: [...(json ? [] : [timeline]), ...(await eventsSink(session.eventsFile))],
    onWarning: (message) =>
      screen.note(renderRow({ label: 'warning', text: cleanLine(message), tone: 'yellow' }, screen)),
  });
  if (!session.introduced) sayIfScripted(workshop, context);
  const elsewhere = context.home.engine.name !== 'sqlite';
  let followed: { stop(): Promise<void> } | undefined;
  const begin = (agent: Agent): RunHandle => {
    const handle = session.begin(agent);
    if (elsewhere && !json) {
      const warn = (why: string): void =>
        screen.note(renderRow({ label: 'warning', text: cleanLine(why), tone: 'yellow' }, screen));
      followed = followStored(workshop.events, handle.id, { write: (event) => timeline.write(event), warn });
    }
    return handle;
  };
  const tell = session.tell ?? ((result: Result) => tellResult(result, context));
  try {
    return await drive({
      workshop,
      screen,
      begin,
      tidy: () => timeline.close(),
      tell: async (result) => {
        await followed?.stop();
        tell(result);
      },
    });
  } finally {
    await followed?.stop();
    timeline.close();
  }
}

/** The Result on stdout, as text or as JSON. */
export function tellResult(result: Result, context: CommandContext): void {
  const { screen, json } = context;
  if (json) printJson(context, resultJson(result));
  else {
    screen.note('');
    screen.out(resultText(result, screen));
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
