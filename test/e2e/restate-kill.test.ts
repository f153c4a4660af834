import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chaosAgent, chaosSignal } from '../../bench/chaos/agent.ts';
import { killProcess, startChaosWorker } from '../../bench/chaos/child.ts';
import { executionsIn, tallyOf } from '../../bench/chaos/tally.ts';
import type { Durable, DurableHost, Workflow } from '../../src/runtime/durable.ts';
import { type RestateHost, type RestateWorker, restateHost, serveRestate } from '../../src/runtime/restate.ts';
import { freePorts, noRestate, type RestateServer, startRestate } from '../../src/testing/restate-server.ts';

const reason = noRestate();
const stepMs = 25;

describe.skipIf(reason !== undefined)(
  `Restate survives kills${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let server: RestateServer;
    let dir = '';
    let port = 0;
    let children: ChildProcess[] = [];
    let workers: RestateWorker[] = [];
    let hosts: DurableHost[] = [];

    beforeAll(async () => {
      server = await startRestate();
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), 'assay-restate-kill-'));
      [port = 0] = await freePorts(1);
    });
    afterEach(async () => {
      for (const child of children) await killProcess(child);
      for (const worker of workers) await worker.close();
      for (const host of hosts) await host.close();
      children = [];
      workers = [];
      hosts = [];
      rmSync(dir, { recursive: true, force: true });
    });

    const effects = (): string => join(dir, 'effects');

    const open = (...workflows: Workflow[]): RestateHost => {
      const host = restateHost({ ingress: server.ingress, admin: server.admin, pollMs: 50 });
      hosts.push(host);
      for (const workflow of workflows) host.register(workflow);
      return host;
    };

    const work = async (): Promise<ChildProcess> => {
      const { ingress, admin } = server;
      const child = await startChaosWorker({ effects: effects(), stepMs, ingress, admin, port, announce: true });
      children.push(child);
      return child;
    };

    const serve = async (workflow: Workflow, at?: number): Promise<RestateWorker> => {
      const { ingress, admin } = server;
      const [free = 0] = at === undefined ? await freePorts(1) : [at];
      const worker = await serveRestate({
        workflows: [workflow],
        ingress,
        admin,
        listen: { port: free },
        suspendAfterMs: 30,
        inactivityMs: 300,
      });
      workers.push(worker);
      return worker;
    };

    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

    /** Every recorded result stems from the last execution of its step, and what must not run twice did not. */
    const checkRuns = async (host: DurableHost, ids: readonly string[]): Promise<void> => {
      for (const id of ids) expect(await host.result(id, { waitMs: 20_000 })).toMatchObject({ state: 'completed' });
      const journals = ids.map((run) => ({ run, entries: host.journal(run) }));
      const tally = await tallyOf(journals, executionsIn(effects()));
      expect(tally.wrong).toEqual([]);
      expect(tally.recorded).toBeGreaterThanOrEqual(ids.length * 20);
    };

    test('a worker that is killed again and again in the middle of runs', async () => {
      const host = open(chaosAgent({ effects: effects(), stepMs }));
      let worker = await work();
      const ids = ['w1', 'w2', 'w3'];
      for (const id of ids) await host.start('agent', id, null);
      for (const id of ids) await host.signal(id, chaosSignal, { by: 'a test' });
      for (let kills = 0; kills < 5; kills++) {
        await pause(20 + Math.random() * 100);
        await killProcess(worker);
        worker = await work();
      }
      await checkRuns(host, ids);
      for (const id of ids) expect((await host.info(id))?.output).toMatchObject({ by: { by: 'a test' } });
    }, 40_000);

    test('an engine that is killed in the middle of runs', async () => {
      const host = open(chaosAgent({ effects: effects(), stepMs }));
      await work();
      const ids = ['e1', 'e2', 'e3'];
      for (const id of ids) await host.start('agent', id, null);
      for (const id of ids) await host.signal(id, chaosSignal, { by: 'a test' });
      for (let kills = 0; kills < 2; kills++) {
        await pause(50 + Math.random() * 150);
        await server.killAndRestart();
      }
      await checkRuns(host, ids);
    }, 40_000);

    test('an approval that is given after the worker and the engine were restarted', async () => {
      const host = open(chaosAgent({ effects: effects(), stepMs: 5 }));
      const worker = await work();
      await host.start('agent', 'approved', null);
      expect(await host.result('approved', { waitMs: 15_000 })).toMatchObject({
        state: 'suspended',
        waitingFor: [chaosSignal],
      });
      await killProcess(worker);
      await server.killAndRestart();
      const later = open(chaosAgent({ effects: effects(), stepMs: 5 }));
      expect(await later.info('approved')).toMatchObject({ state: 'suspended', waitingFor: [chaosSignal] });
      await work();
      expect(await later.signal('approved', chaosSignal, 'late')).toBe('delivered');
      expect(await later.signal('approved', chaosSignal, 'too late')).toBe('already');
      await checkRuns(later, ['approved']);
      expect((await later.info('approved'))?.output).toMatchObject({ by: 'late' });
      const again = [...executionsIn(effects()).values()].filter((nonces) => nonces.length > 1);
      expect(again).toEqual([]);
    }, 40_000);

    test('a run that an older version is given is parked, and goes on with a version that fits', async () => {
      const version = (number: number, steps: readonly string[]): Workflow => ({
        name: 'versioned',
        version: number,
        run: async (durable: Durable) => {
          const done: string[] = [`begun by ${durable.codeVersion}`];
          for (const step of steps) done.push(await durable.step(step, () => `${step} by ${number}`));
          done.push(String(await durable.waitFor('go')));
          return done;
        },
      });
      const host = open(version(2, ['a', 'b']));
      const second = await serve(version(2, ['a', 'b']), port);
      await host.start('versioned', 'v', null);
      expect((await host.result('v', { waitMs: 10_000 })).state).toBe('suspended');
      await second.close();

      const first = await serve(version(1, ['a', 'b']), port);
      expect(await host.resume('v')).toBe('resumed');
      expect(await host.result('v', { waitMs: 10_000 })).toMatchObject({
        state: 'parked',
        error: expect.stringMatching(
          /run v began with version 2 of the workflow "versioned", and this worker has version 1/,
        ),
      });
      await first.close();

      await serve(version(3, ['a', 'other']));
      expect(await host.resume('v')).toBe('resumed');
      expect(await host.result('v', { waitMs: 10_000 })).toMatchObject({
        state: 'parked',
        error: expect.stringMatching(/journal entry 2 is "b", but the code asks for other/),
      });

      await serve(version(4, ['a', 'b']));
      expect(await host.resume('v')).toBe('resumed');
      expect(await host.signal('v', 'go', 'on')).toBe('delivered');
      const { state, output } = await host.result('v', { waitMs: 10_000 });
      expect({ state, output }).toEqual({ state: 'completed', output: ['begun by 2', 'a by 2', 'b by 2', 'on'] });
      expect((await host.info('v'))?.error).toBeUndefined();
    }, 40_000);
  },
);
