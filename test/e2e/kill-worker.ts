/** Executes runs of one store until they are done or it is killed. Started by `kill.test.ts`, which imports the workflows. */
import { appendFileSync } from 'node:fs';
import type { Durable, DurableHost, Workflow } from '../../src/runtime/durable.ts';
import { sqliteHost } from '../../src/runtime/sqlite.ts';

const { KILL_STORE: file, KILL_EFFECTS: effects, KILL_RUNS: runs, KILL_WORKFLOW: workflow = 'agent' } = process.env;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A store with every workflow registered. Each execution of a closure is a line `run/key nonce` in the effects file. */
export function openStore(store: string, effectsFile: string): DurableHost {
  const host = sqliteHost({ file: store, suspendAfterMs: 50, pollMs: 30 });
  for (const each of workflowsFor(effectsFile)) host.register(each);
  return host;
}

function workflowsFor(effectsFile: string): Workflow[] {
  const effect = (durable: Durable, name: string, once = false): Promise<string> =>
    durable.step(
      name,
      async ({ idempotencyKey }) => {
        const nonce = crypto.randomUUID();
        appendFileSync(effectsFile, `${idempotencyKey} ${nonce}\n`);
        await wait(Math.random() * 10);
        return nonce;
      },
      { effect: once ? 'at-most-once' : 'at-least-once' },
    );
  return [
    { name: 'agent', version: 1, run: (durable) => agent(durable, effect) },
    { name: 'waits', version: 1, run: (durable) => durable.step('hold', ({ signal }) => held(durable, signal)) },
    {
      name: 'listens',
      version: 1,
      run: (durable) =>
        Promise.race([durable.waitFor('go'), durable.step('hold', ({ signal }) => held(durable, signal))]),
    },
  ];
}

type Effect = (durable: Durable, name: string, once?: boolean) => Promise<string>;

async function agent(durable: Durable, effect: Effect): Promise<string[]> {
  const seen = [await effect(durable, 'plan')];
  const order: string[] = [];
  for (let turn = 0; turn < 40; turn++) {
    seen.push(await effect(durable, 'model'));
    const sent = await effect(durable, 'tool', true).catch((error: Error) => error.name);
    seen.push(`${turn} ${sent}`);
  }
  const work = (name: string) => async (branch: Durable) => {
    for (let turn = 0; turn < 12; turn++) {
      await effect(branch, name);
      order.push(`${branch.path} ${order.length}`);
    }
  };
  await durable.parallel('samples', [work('a'), work('b'), work('c')]);
  await durable.sleep(5);
  return [...seen, ...order, durable.uuid(), `${durable.now()}`];
}

/** Hangs in a worker until it is aborted; who takes the run over gets an answer at once. */
async function held(durable: Durable, signal: AbortSignal): Promise<string> {
  while (process.env['KILL_WORKER'] !== undefined && !signal.aborted) await wait(10);
  return `${durable.runId} was taken over`;
}

async function main(store: string, effectsFile: string, ids: string[]): Promise<void> {
  const host = openStore(store, effectsFile);
  for (const id of ids) if ((await host.start(workflow, id, null)) === 'exists') await host.resume(id);
  process.stdout.write('ready\n');
  for (const id of ids) {
    while ((await host.result(id)).state === 'suspended') await wait(10);
  }
  process.stdout.write('done\n');
  await host.close();
}

if (process.env['KILL_WORKER'] && file && effects && runs) await main(file, effects, runs.split(','));
