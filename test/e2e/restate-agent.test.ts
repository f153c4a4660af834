import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Agent, Result } from '../../src/index.ts';
import { sqliteHost } from '../../src/index.ts';
import { restateHost, serveRestate } from '../../src/runtime/restate.ts';
import { freePorts, noRestate, type RestateServer, startRestate } from '../../src/testing/restate-server.ts';
import { type AgentWorkerOptions, boatAgent } from './restate-agent-worker.ts';

const reason = noRestate();
const seed = (): string => 'the same on every host';

describe.skipIf(reason !== undefined)(
  `an agent on Restate${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let server: RestateServer;
    let dir = '';
    let uninterrupted: Result;
    /** Closes what a test has opened. */
    const ends: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      server = await startRestate();
      dir = mkdtempSync(join(tmpdir(), 'assay-restate-agent-'));
      const host = sqliteHost({ file: join(dir, 'runs.db'), suspendAfterMs: 20, seed });
      const agent = boatAgent(host, { log: join(dir, 'sqlite.log'), delayMs: 1 });
      uninterrupted = await approved(agent);
      await agent.close();
    });
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });
    afterAll(async () => {
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    });

    /** The run's Result after a human has approved the order. */
    const approved = async (agent: Agent): Promise<Result> => {
      const waiting = await agent.run('order an oar', { runId: 'boat' });
      expect(waiting.status).toBe('awaiting_approval');
      const [signal = ''] = (await agent.host.info('boat'))?.waitingFor ?? [];
      expect(await agent.decide('boat', signal, { approved: true })).toBe('delivered');
      return agent.resume('boat');
    };

    /** A Result without the time it took. */
    const timeless = (result: Result): unknown => ({ ...result, metrics: { ...result.metrics, activeMs: 0 } });

    const lines = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

    test('it gives the same Result as on SQLite', async () => {
      const { ingress, admin } = server;
      const host = restateHost({ ingress, admin, namespace: 'same', pollMs: 20, seed });
      const agent = boatAgent(host, { log: join(dir, 'restate.log'), delayMs: 1 });
      const listen = { port: 0 };
      const worker = await serveRestate({
        workflows: host,
        ingress,
        admin,
        namespace: 'same',
        listen,
        suspendAfterMs: 20,
      });
      ends.push(
        () => worker.close(),
        () => agent.close(),
      );
      const result = await approved(agent);
      expect(result.status).toBe('completed');
      expect(result.answer).toBe('ordered for 7 euros');
      expect(timeless(result)).toEqual(timeless(uninterrupted));
      expect(lines(join(dir, 'restate.log'))).toEqual(lines(join(dir, 'sqlite.log')));
    });

    test('its cost is counted once when its worker is killed', async () => {
      const log = join(dir, 'killed.log');
      const [port = 0] = await freePorts(1);
      const options: AgentWorkerOptions = { ingress: server.ingress, admin: server.admin, port, log, delayMs: 120 };
      const agent = boatAgent(restateHost({ ...options, pollMs: 20, seed }), options);
      let worker = await work(options);
      ends.push(
        () => kill(worker),
        () => agent.close(),
      );
      const killedIn = async (call: string): Promise<void> => {
        await expect.poll(() => lines(log), { timeout: 10_000, interval: 5 }).toContain(call);
        await kill(worker);
        worker = await work(options);
      };
      const kills = killedIn('model planner').then(() => killedIn('model actor'));
      const result = await approved(agent);
      await kills;
      const calls = lines(log);
      expect(calls.length).toBeGreaterThan(lines(join(dir, 'sqlite.log')).length);
      expect(calls.filter((call) => call === 'order')).toHaveLength(1);
      expect(timeless(result)).toEqual(timeless(uninterrupted));
      expect(result.usage.usd).toBeGreaterThan(0);
    }, 40_000);
  },
);

async function work(options: AgentWorkerOptions): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'restate-agent-worker.ts')], {
    env: { ...process.env, RESTATE_AGENT: JSON.stringify(options) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(worker.stdout, 'data'), once(worker, 'exit')]);
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}
