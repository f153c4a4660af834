import { resolve } from 'node:path';
import { openWorkshop } from '../build-agent.ts';
import { chooseModel } from '../choose-model.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, numberOption, printJson, textOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { plural } from '../numbers.ts';
import { limitsFrom, settingsFrom } from '../run-options.ts';
import { openRunIndex } from '../serve/run-index.ts';
import { type Settings, settingsJson } from '../settings.ts';
import { renderRow } from '../timeline.ts';

const defaultPort = 8787;
const endings = ['SIGINT', 'SIGTERM'] as const;

/** `assay serve`: the agent as an HTTP server, until it is interrupted; live runs stop where they stand and go on at the next start. */
export const command: Command = async (context) => {
  const { screen, home } = context;
  const [{ createServer }, { listen }, { tokenFile }] = await Promise.all([
    import('../../server/server.ts'),
    import('../../server/listen.ts'),
    import('../../server/token-file.ts'),
  ]);
  const settings = await settingsFor(context);
  const warn = (text: string): void =>
    screen.note(renderRow({ label: 'warning', text: cleanLine(text), tone: 'yellow' }, screen));
  const workshop = await openWorkshop(settings, { home, budget: limitsFrom(context), onWarning: warn });
  const tokens = textOption(context, 'tokens');
  const server = createServer({
    agent: workshop.agent,
    events: workshop.events,
    index: await openRunIndex(home),
    ...(workshop.lessons && { lessons: workshop.lessons }),
    ...(tokens !== undefined && {
      auth: { tokens: tokenFile(resolve(tokens), { onBroken: ({ message }) => warn(message) }) },
    }),
    mcp: await hasMcp(),
    // JSON of settings is an object.
    settings: settingsJson(settings) as { [key: string]: never },
    onError: (error) => warn(error instanceof Error ? error.message : String(error)),
  });
  try {
    const resumed = await server.resumeInterrupted();
    const host = textOption(context, 'host') ?? '127.0.0.1';
    const listening = await listen(server, {
      host,
      port: numberOption(context, 'port') ?? defaultPort,
      signals: endings,
    });
    if (context.json) printJson(context, { url: listening.url, resumed });
    else {
      screen.out(`Serving on ${listening.url}${server.guarded ? '' : ' (this machine only, without tokens)'}`);
      if (resumed > 0) screen.note(`Going on with ${plural(resumed, 'run')} that a stop had left.`);
    }
    await listening.closed;
    return exitCodes.completed;
  } finally {
    await server.close();
    await workshop.close();
  }
};

async function settingsFor(context: CommandContext): Promise<Settings> {
  const settings = settingsFrom(context);
  if (settings.config !== undefined && settings.model === undefined) return settings;
  return { ...settings, model: await chooseModel(settings.model, context.screen) };
}

/** The SDK is an optional peer: without it there is no MCP endpoint. */
async function hasMcp(): Promise<boolean> {
  return import('@modelcontextprotocol/sdk/server/mcp.js').then(
    () => true,
    () => false,
  );
}
