/** The page of a home, for looking: it needs no model, takes nothing up and executes nothing. */
import { Agent, type AgentOptions } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import { evaluationShelf } from '../../evals/evaluation-shelf.ts';
import type { LessonStore } from '../../memory/memory.ts';
import type { DurableHost, RunInfo } from '../../runtime/durable.ts';
import type { EventStore } from '../../trace/events.ts';
import { agentFor } from '../build-agent.ts';
import { type CommandContext, printJson } from '../command.ts';
import { openEvents, openHost, openLessons } from '../engine.ts';
import { evaluationsFolder } from '../eval/find-evaluation.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { version } from '../package-root.ts';
import { workersModel } from '../remote-agent.ts';
import { storedSettings } from '../stored-settings.ts';
import { openBrowser } from './open-browser.ts';
import { pageFolder } from './page-folder.ts';
import { openRunIndex } from './run-index.ts';

/** As many of the newest runs are asked whose they are. */
const lookedAt = 2_000;
/** What the command line calls its agent, and servers the one they have. */
const ownWorkflow = 'assay';
const ownName = 'default';

/** Serves the page on a free port of this machine, opened at the run, until it is interrupted. */
export async function showWeb(run: RunInfo, context: CommandContext): Promise<ExitCode> {
  const { screen } = context;
  const { server, close } = await openLooking(run, context);
  try {
    const { listen } = await import('../../server/listen.ts');
    const { url, closed } = await listen(server, { signals: ['SIGINT', 'SIGTERM'], graceMs: 200 });
    const page = `${url}/#/runs/${encodeURIComponent(run.id)}`;
    if (context.json) printJson(context, { url, page });
    else {
      screen.out(page);
      screen.note(`For looking only, until Ctrl-C. To act as well: ${commandName()} serve${context.home.typed}`);
    }
    openBrowser(page, screen);
    await closed;
    return exitCodes.completed;
  } finally {
    await close();
  }
}

async function openLooking(run: RunInfo, { home, screen }: CommandContext) {
  const { createServer } = await import('../../server/server.ts');
  const folder = await pageFolder((text) => screen.note(text));
  const [host, events, lessons] = await Promise.all([
    openHost(home.engine, home.runs),
    openEvents(home.runs),
    openLessons(home.lessons),
  ]);
  const { agents, close: closeAgents } = await lookingAgents(run, { home, host, events });
  const server = createServer({
    ...{ agents, events, lessons, page: { folder }, version: version(), localScopes: ['read'] },
    index: await openRunIndex(home),
    evaluations: evaluationShelf({ folder: evaluationsFolder(home) }),
    onError: (error) => screen.note(error instanceof Error ? error.message : String(error)),
  });
  const close = async (): Promise<void> => {
    await server.close();
    await closeAgents();
    await lessons.close();
    await events.close();
  };
  return { server, close };
}

/** An agent for each workflow there are runs of. That of the run is made as the run was, so that its prompts can be rebuilt. */
async function lookingAgents(
  run: RunInfo,
  { home, host, events }: { home: CommandContext['home']; host: DurableHost; events: EventStore },
): Promise<{ agents: Record<string, Agent>; close(): Promise<void> }> {
  const workflows = new Set((await host.list({ limit: lookedAt })).map(({ workflow }) => workflow));
  const { made, store } = await agentOf(run, home);
  const agents = [...workflows.add(run.workflow)].map((name): [string, Agent] => {
    const options = name === run.workflow ? made : { model: workersModel() };
    return [name === ownWorkflow ? ownName : name, new Agent({ ...options, name, host, follow: events })];
  });
  return { agents: Object.fromEntries(agents), close: async () => store?.close() };
}

/** The options of the agent that made the run, as far as they are known here. No model is asked, so none has to be there. */
async function agentOf(
  run: RunInfo,
  home: CommandContext['home'],
): Promise<{ made: AgentOptions; store?: LessonStore | undefined }> {
  try {
    const { agent, store } = await agentFor(storedSettings(run.id, run.input), { home });
    return { made: agent, store };
  } catch (error) {
    // What it was made with is gone or was never here; all that was recorded can be shown nevertheless.
    if (error instanceof UsageError) return { made: { model: workersModel() } };
    throw error;
  }
}
