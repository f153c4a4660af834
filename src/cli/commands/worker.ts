import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { StateError, UsageError } from '../../core/errors.ts';
import type { RestateHost } from '../../runtime/restate.ts';
import { openWorkshop } from '../build-agent.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, printJson, textOption } from '../command.ts';
import { openBlobs } from '../engine.ts';
import { exitCodes } from '../exit-codes.ts';
import { agentSettings } from '../run-options.ts';
import { isolateLocalModels } from '../serve/isolate-models.ts';
import { renderRow } from '../timeline.ts';

/** `assay worker --engine restate`: executes the runs that an engine hands out, until it is interrupted; others go on with them then. */
export const command: Command = async (context) => {
  const { screen, home } = context;
  const { engine } = home;
  if (engine.name !== 'restate')
    throw new UsageError(
      'A worker works for an engine: give --engine restate. With SQLite, `assay run` executes its runs itself.',
    );
  isolateLocalModels();
  const { serveRestate } = await import('../../runtime/restate.ts');
  // Policy and limits of a run come with it.
  const workshop = await openWorkshop(await agentSettings(context), {
    home,
    onWarning: (text) => screen.note(renderRow({ label: 'warning', text: cleanLine(text), tone: 'yellow' }, screen)),
  });
  try {
    const reachableAt = textOption(context, 'reachableAt');
    const blobs = await openBlobs();
    const options = {
      // With this engine the host of a workshop is its client, which knows the agent's workflow.
      workflows: workshop.agent.host as RestateHost,
      ingress: engine.at,
      admin: engine.admin,
      ...(blobs && { blobs }),
      listen: listenAt(context),
      ...(reachableAt !== undefined && { reachableAt }),
    };
    const worker = await patiently(
      () => serveRestate(options),
      (why) => screen.note(`Waiting for the engine: ${why}`),
    );
    // Whoever reads that it works may end it at once.
    const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    if (context.json) printJson(context, { address: worker.address, engine: engine.at });
    else screen.out(`Working for ${engine.at}, listening on ${worker.address}`);
    await interrupted;
    await worker.close();
    return exitCodes.completed;
  } finally {
    await workshop.close();
  }
};

/** The engine may start later than its workers. */
const patienceMs = 60_000;
const againMs = 1_000;

async function patiently<T>(work: () => Promise<T>, tell: (why: string) => void): Promise<T> {
  const until = Date.now() + patienceMs;
  for (let told = false; ; told = true) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StateError) || Date.now() > until) throw error;
      if (!told) tell(error.message);
      await sleep(againMs);
    }
  }
}

const address = /^(?:(.+):)?(\d{1,5})$/;

function listenAt(context: CommandContext): { host?: string; port: number } {
  const given = textOption(context, 'listen') ?? '127.0.0.1:9080';
  const [, host, port] = address.exec(given) ?? [];
  if (port === undefined) throw new UsageError(`--listen ${given}: give a port or HOST:PORT, such as 127.0.0.1:9080.`);
  return { port: Number(port), ...(host !== undefined && { host }) };
}
