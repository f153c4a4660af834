/**
 * `npm run bench:chaos [-- --short]`: three workers behind a balancer execute agent-like runs while workers and the engine are killed with
 * `kill -9` at random points: 100 workers and 20 times the engine, with `--short` 10 and 3 in at most a minute. Exits with 1 when a run was
 * lost, a step ran again after its result was recorded, or an at-most-once step ran twice.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { restateHost } from '../src/runtime/restate.ts';
import { freePorts, noRestate, type RestateServer, startRestate } from '../src/testing/restate-server.ts';
import { chaosAgent } from './chaos/agent.ts';
import { type Balancer, startBalancer } from './chaos/balancer.ts';
import { killProcess, startChaosWorker } from './chaos/child.ts';
import { Load, pause } from './chaos/load.ts';
import { type ChaosTally, executionsIn, tallyOf } from './chaos/tally.ts';
import { printTable } from './measure.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const plan = values.short
  ? { workerKills: 10, engineKills: 3, atOnce: 10, stepMs: 60 }
  : { workerKills: 100, engineKills: 20, atOnce: 24, stepMs: 60 };
const workerCount = 3;

const reason = noRestate();
if (reason === undefined) process.exitCode = (await chaos()) ? 0 : 1;
else console.log(`skipped: ${reason}`);

async function chaos(): Promise<boolean> {
  const began = performance.now();
  const dir = mkdtempSync(join(tmpdir(), 'assay-chaos-'));
  const options = { effects: join(dir, 'effects'), stepMs: plan.stepMs };
  const server = await startRestate();
  const ports = await freePorts(workerCount);
  const { ingress, admin } = server;
  const start = (port: number): Promise<ChildProcess> =>
    startChaosWorker({ ...options, ingress, admin, port, announce: false });
  const workers = await Promise.all(ports.map(start));
  const balancer = await startBalancer(ports);
  const host = restateHost({ ingress, admin });
  host.register(chaosAgent(options));
  try {
    await announce(admin, balancer);
    const load = new Load(host, plan.atOnce);
    load.begin();
    await kill(server, workers, (index) => start(ports[index] ?? 0));
    const afterKills = performance.now();
    await load.drain();
    const runs = [...load.ended.keys()].map((run) => ({ run, entries: host.journal(run) }));
    const tally = await tallyOf(runs, executionsIn(options.effects));
    return report(load, tally, { seconds: (performance.now() - began) / 1_000, drain: performance.now() - afterKills });
  } finally {
    await host.close();
    await balancer.close();
    for (const worker of workers) await killProcess(worker);
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function announce(admin: string, balancer: Balancer): Promise<void> {
  const response = await fetch(`${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: balancer.address }),
  });
  if (!response.ok) throw new Error(`the engine refused the balancer: ${await response.text()}`);
}

/** Kills workers and the engine in random order; a killed worker is replaced after a moment. */
async function kill(
  server: RestateServer,
  workers: ChildProcess[],
  replace: (index: number) => Promise<ChildProcess>,
): Promise<void> {
  const kinds = [...Array(plan.workerKills).fill('worker'), ...Array(plan.engineKills).fill('engine')];
  for (let left = kinds.length; left > 0; left--) {
    await pause(50 + Math.random() * 400);
    const [kind] = kinds.splice(Math.floor(Math.random() * left), 1);
    if (kind === 'engine') await server.killAndRestart();
    else {
      const index = Math.floor(Math.random() * workers.length);
      const worker = workers[index];
      if (worker) await killProcess(worker);
      await pause(Math.random() * 100);
      workers[index] = await replace(index);
    }
  }
}

function report(load: Load, tally: ChaosTally, times: { seconds: number; drain: number }): boolean {
  const lost = [...load.ended].filter(([, state]) => state !== 'completed');
  printTable(
    `${workerCount} workers behind a balancer, ${plan.atOnce} runs at once, steps of up to ${plan.stepMs} ms`,
    [
      ['kill -9 of a worker', plan.workerKills],
      ['kill -9 of the engine', plan.engineKills],
      ['runs', load.ended.size],
      ['lost', lost.length],
      ['recorded steps', tally.recorded],
      ['executions of them', tally.executed],
      ['executed again, unrecorded before', tally.repeated],
      ['recorded effects repeated', tally.wrong.length],
      ['at-most-once steps left uncertain', tally.uncertain],
      ['s in all', times.seconds],
      ['ms from the last kill to the last end', times.drain],
    ],
  );
  for (const [run, state] of lost) console.log(`${run}: ${state}`);
  for (const wrong of tally.wrong) console.log(wrong);
  const passed = lost.length === 0 && tally.wrong.length === 0;
  console.log(passed ? 'Nothing was lost and nothing recorded was repeated.' : 'FAILED');
  return passed;
}
