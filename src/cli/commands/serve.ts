import { resolve } from 'node:path';
import type { AssayServer } from '../../server/server.ts';
import type { TokenSource } from '../../server/tokens.ts';
import { openWorkshop, type Workshop } from '../build-agent.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, numberOption, printJson, textOption } from '../command.ts';
import { workersExecute } from '../engine.ts';
import { exitCodes } from '../exit-codes.ts';
import { plural } from '../numbers.ts';
import { notOfClients, refuseWorkersOptions } from '../remote-agent.ts';
import { clientSettings, limitsFrom } from '../run-options.ts';
import { openRunIndex } from '../serve/run-index.ts';
import { openTenants } from '../serve/tenants.ts';
import { settingsJson } from '../settings.ts';
import { renderRow } from '../timeline.ts';

const defaultPort = 8787;
const endings = ['SIGINT', 'SIGTERM'] as const;

/** `assay serve`: the agent as an HTTP server, until it is interrupted; live runs stop where they stand and go on at the next start. */
export const command: Command = async (context) => {
  refuseWorkersOptions(context, notOfClients);
  const { screen } = context;
  const warn = (text: string): void =>
    screen.note(renderRow({ label: 'warning', text: cleanLine(text), tone: 'yellow' }, screen));
  const { server, close } = await openServer(context, warn);
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
    if (context.json) printJson(context, { url: listening.url, resumed });
    else {
      screen.out(`Serving on ${listening.url}${server.guarded ? '' : ' (this machine only, without tokens)'}`);
      if (resumed > 0) screen.note(`Going on with ${plural(resumed, 'run')} that a stop had left.`);
    }
    await listening.closed;
    return exitCodes.completed;
  } finally {
    await close();
  }
};

async function openServer(
  context: CommandContext,
  warn: (text: string) => void,
): Promise<{ server: AssayServer; close(): Promise<void> }> {
  const { home } = context;
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
  const tenants = tokens && (await openTenants({ shared, tokens, elsewhere, open, warn }));
  const server = createServer({
    agent: shared.agent,
    events: shared.events,
    index: await openRunIndex(home),
    ...(lessons && !tenants && { lessons }),
    ...(tenants && { auth: { tokens: tenants.tokens }, tenants: tenants.options }),
    mcp: await hasMcp(),
    // JSON of settings is an object.
    settings: settingsJson(settings) as { [key: string]: never },
    onError: (error) => warn(error instanceof Error ? error.message : String(error)),
  });
  const close = async (): Promise<void> => {
    await server.close();
    await tenants?.close();
    await shared.close();
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
