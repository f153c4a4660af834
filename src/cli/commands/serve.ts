import { resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { evaluationShelf } from '../../evals/evaluation-shelf.ts';
import type { AssayServer } from '../../server/server.ts';
import type { ServerOptions } from '../../server/server-options.ts';
import type { TokenSource } from '../../server/tokens.ts';
import { openWorkshop, type Workshop } from '../build-agent.ts';
import { cleanLine } from '../clean.ts';
import {
  type Command,
  type CommandContext,
  listOption,
  numberOption,
  printJson,
  switchOption,
  textOption,
} from '../command.ts';
import { workersExecute } from '../engine.ts';
import { evaluationsFolder } from '../eval/find-evaluation.ts';
import { exitCodes } from '../exit-codes.ts';
import { plural } from '../numbers.ts';
import { version } from '../package-root.ts';
import { notOfClients, refuseWorkersOptions } from '../remote-agent.ts';
import { clientSettings, limitsFrom } from '../run-options.ts';
import { openDemo } from '../serve/demo.ts';
import { isolateLocalModels } from '../serve/isolate-models.ts';
import { openBrowser } from '../serve/open-browser.ts';
import { settingsOf as agentSettings, agentsOf } from '../serve/other-models.ts';
import { pageFolder } from '../serve/page-folder.ts';
import { openRunIndex } from '../serve/run-index.ts';
import { openTenants } from '../serve/tenants.ts';
import { settingsJson } from '../settings.ts';
import { renderRow } from '../timeline.ts';

const defaultPort = 8787;
const endings = ['SIGINT', 'SIGTERM'] as const;
/** People can follow this. */
const demoReplyMs = 300;

/** `assay serve`: the agent as an HTTP server, until it is interrupted; live runs stop where they stand and go on at the next start. */
export const command: Command = async (context) => {
  refuseWorkersOptions(context, [...notOfClients, 'also']);
  isolateLocalModels();
  const { screen } = context;
  const warn = (text: string): void =>
    screen.note(renderRow({ label: 'warning', text: cleanLine(text), tone: 'yellow' }, screen));
  const folder = await pageFolder((text) => screen.note(text));
  const page = { page: { folder } };
  const { server, close } = await (switchOption(context, 'demo')
    ? openDemoServer(context, { warn, page })
    : openServer(context, { warn, page }));
  try {
    const { listen } = await import('../../server/listen.ts');
    // Nothing is taken up for a server that cannot listen, and nothing is answered before all is taken up.
    const ready = Promise.withResolvers<void>();
    const patient: AssayServer = {
      ...server,
      fetch: async (request, connection) => {
        await ready.promise;
        return server.fetch(request, connection);
      },
    };
    const host = textOption(context, 'host') ?? '127.0.0.1';
    const port = numberOption(context, 'port') ?? defaultPort;
    const listening = await listen(patient, { host, port, signals: endings });
    const resumed = await server.resumeInterrupted();
    ready.resolve();
    tell(context, { url: listening.url, guarded: server.guarded, resumed });
    if (switchOption(context, 'open')) openBrowser(`${listening.url}/`, screen);
    await listening.closed;
    return exitCodes.completed;
  } finally {
    await close();
  }
};

function tell(context: CommandContext, served: { url: string; guarded: boolean; resumed: number }): void {
  const { screen } = context;
  const { url, guarded, resumed } = served;
  if (context.json) {
    printJson(context, { url, page: `${url}/`, resumed });
    return;
  }
  screen.out(`Serving on ${url}${guarded ? '' : ' (this machine only, without tokens)'}`);
  screen.out(`The inspector: ${url}/`);
  if (resumed > 0) screen.note(`Going on with ${plural(resumed, 'run')} that a stop had left.`);
}

interface Opened {
  server: AssayServer;
  close(): Promise<void>;
}

interface Opening {
  warn(text: string): void;
  page: Pick<ServerOptions, 'page'>;
}

/** What every server of the command line has. */
async function commonOptions(
  { home }: CommandContext,
  { warn, page }: Opening,
): Promise<Pick<ServerOptions, 'page' | 'index' | 'evaluations' | 'version' | 'mcp' | 'onError'>> {
  return {
    ...page,
    index: await openRunIndex(home),
    evaluations: evaluationShelf({ folder: evaluationsFolder(home) }),
    version: version(),
    mcp: await hasMcp(),
    onError: (error) => warn(error instanceof Error ? error.message : String(error)),
  };
}

async function openServer(context: CommandContext, opening: Opening): Promise<Opened> {
  const { home } = context;
  const { warn } = opening;
  const { createServer } = await import('../../server/server.ts');
  const tokens = await tokensFrom(context, warn);
  const elsewhere = workersExecute(context);
  const settings = await clientSettings(context);
  const open = (scope?: string): Promise<Workshop> =>
    openWorkshop(scope === undefined ? settings : { ...settings, scope }, {
      home,
      budget: limitsFrom(context),
      elsewhere,
      onWarning: warn,
    });
  const shared = await open();
  const { lessons } = shared;
  const also = listOption(context, 'also');
  const others = (workshop: Workshop): ReturnType<typeof agentsOf> => agentsOf(workshop, also);
  const tenants = tokens && (await openTenants({ shared, tokens, elsewhere, open, others, warn }));
  const server = createServer({
    ...(await commonOptions(context, opening)),
    agent: shared.agent,
    agents: await others(shared),
    events: shared.events,
    ...(lessons && !tenants && { lessons }),
    ...(tenants && { auth: { tokens: tenants.tokens }, tenants: tenants.options }),
    // JSON of settings is an object.
    settings: settingsJson(settings) as { [key: string]: never },
    agentSettings: agentSettings(settings, also),
  });
  const close = async (): Promise<void> => {
    await server.close();
    await tenants?.close();
    await shared.close();
  };
  return { server, close };
}

/** Whose agents and tokens these are is decided by the demo. */
const notOfDemo = ['tokens', 'also', 'docs', 'config', 'solver', 'layers', 'engine'] as const;

async function openDemoServer(context: CommandContext, opening: Opening): Promise<Opened> {
  const given = notOfDemo.filter((name) => context.options[name] !== undefined);
  if (given.length > 0) {
    throw new UsageError(`The demo has agents of its own, for this machine: leave out --${given.join(', --')}.`);
  }
  const { createServer } = await import('../../server/server.ts');
  const demo = await openDemo({
    home: { ...context.home, engine: { name: 'sqlite' } },
    model: textOption(context, 'model'),
    replyMs: numberOption(context, 'pace') ?? demoReplyMs,
    onWarning: opening.warn,
  });
  const { agents, samples, events, lessons, model } = demo;
  context.screen.note(
    model.scripted
      ? 'The model of this demo is scripted: no key, no network. The tools, checks, journal and memory are real.'
      : `The demo asks ${model.id}.`,
  );
  const server = createServer({
    ...(await commonOptions(context, opening)),
    ...{ agents, samples, events, lessons, settings: { demo: true } },
  });
  const close = async (): Promise<void> => {
    await server.close();
    await demo.close();
  };
  return { server, close };
}

async function tokensFrom(context: CommandContext, warn: (text: string) => void): Promise<TokenSource | undefined> {
  const file = textOption(context, 'tokens');
  if (file === undefined) return undefined;
  const { tokenFile } = await import('../../server/token-file.ts');
  return tokenFile(resolve(file), { onBroken: ({ message }) => warn(message) });
}

/** The SDK is an optional peer: without it there is no MCP endpoint. */
async function hasMcp(): Promise<boolean> {
  return import('@modelcontextprotocol/sdk/server/mcp.js').then(
    () => true,
    () => false,
  );
}
