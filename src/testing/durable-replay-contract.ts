import * as fc from 'fast-check';
import { expect } from 'vitest';
import { NondeterminismError } from '../core/errors.ts';
import type { Durable, DurableHost, Workflow } from '../runtime/durable.ts';
import { type Bench, type Case, entriesOf, gate, work } from './durable-bench.ts';
import { type Program, programs, runProgram } from './durable-programs.ts';

export function replayCases(add: Case, randomPrograms: number): void {
  add('a recorded step is not executed again after a restart', async (bench) => {
    const executed: string[] = [];
    const stuck = gate();
    const workflow = work(async (durable) => {
      const note = (name: string) => (): string => {
        executed.push(name);
        return name;
      };
      await durable.step('one', note('one'));
      await durable.step('two', note('two'));
      await durable.step('three', async () => {
        stuck.open();
        return executed.includes('restarted') ? note('three')() : new Promise(() => undefined);
      });
      return executed.length;
    });
    const first = bench.open(workflow);
    await first.start('work', 'r', null);
    await stuck.wait;
    await first.close();
    executed.push('restarted');
    const second = bench.open(workflow);
    expect(await second.resume('r')).toBe('resumed');
    expect(await second.resume('r')).toBe('live');
    expect((await second.result('r')).state).toBe('completed');
    expect(await second.resume('r')).toBe('finished');
    expect(executed).toEqual(['one', 'two', 'restarted', 'three']);
  });

  add('results are delivered one at a time in journal order, so shared state replays', async (bench) => {
    const workflow = work(async (durable) => {
      const order: string[] = [];
      const branch = (name: string) => async (): Promise<void> => {
        for (let turn = 0; turn < 5; turn++) {
          await durable.step(name, () => turn);
          order.push(`${name}${turn} sees ${order.length}`);
          await Promise.resolve();
          order.push(`${name}${turn} again`);
        }
      };
      const slow = durable.step('slow', () => new Promise((resolve) => setTimeout(resolve, 5)));
      await Promise.all([slow.then(() => order.push('slow')), ...['a', 'b', 'c'].map((name) => branch(name)())]);
      return order;
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    const { output } = await host.result('r');
    // Between a result and the microtasks it causes no other result comes in.
    const order = output as string[];
    for (const [index, line] of order.entries()) {
      if (line.includes('sees')) expect(order[index + 1]).toBe(`${line.slice(0, 2)} again`);
    }
    for (let round = 0; round < 3; round++) {
      await host.fork('r', `again-${round}`, { at: 16 });
      expect((await host.result(`again-${round}`)).output).toEqual(output);
    }
  });

  add('a race replays to the same winner, whatever else was recorded', async (bench) => {
    let turn = 0;
    const workflow = work(async (durable) => {
      const late = (name: string): Promise<string> =>
        durable.step(name, async () => {
          // The one asked last comes back first, the first time only.
          await new Promise((resolve) => setTimeout(resolve, turn++ === 0 ? 12 : 2));
          return name;
        });
      const winner = await Promise.race([late('a'), late('b')]);
      await durable.step('after', () => new Promise((resolve) => setTimeout(resolve, 20)));
      return winner;
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toBe('b');
    await host.fork('r', 'again', { at: 3 });
    expect((await host.result('again')).output).toBe('b');
  });

  add(
    'a fork at any entry finishes like the original, with its seed and without executing the prefix',
    async (bench) => {
      const executed = new Set<string>();
      const workflow = work(async (durable) => {
        const { seed, codeVersion } = durable;
        const start = [durable.random(), durable.uuid(), seed, codeVersion];
        const note = (branch: Durable) =>
          branch.step('note', ({ idempotencyKey }) => {
            executed.add(idempotencyKey);
            return branch.path;
          });
        const notes = [await note(durable)];
        for (const settled of await durable.parallel('p', [note, note, note]))
          if (settled.ok) notes.push(settled.value);
        await durable.sleep(1);
        return [start, notes, await note(durable.scope('s')), durable.scope('s').random(), durable.uuid()];
      });
      const host = bench.open(workflow);
      await host.start('work', 'r', 'input');
      const { output } = await host.result('r');
      const entries = await entriesOf(host, 'r');
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      for (let at = 0; at <= entries.length; at++) {
        expect(await host.fork('r', `fork-${at}`, { at })).toBe('started');
        expect(await host.result(`fork-${at}`)).toMatchObject({
          state: 'completed',
          output,
          forkedFrom: 'r',
          input: 'input',
        });
        for (const { key } of entries.slice(0, at)) expect(executed).not.toContain(`fork-${at}/${key}`);
        expect((await entriesOf(host, `fork-${at}`)).slice(0, at)).toEqual(entries.slice(0, at));
      }
      expect(await host.fork('r', 'fork-1', { at: 1 })).toBe('exists');
      expect(await host.fork('nobody', 'fork', { at: 1 })).toBe('no-such-run');
      await expect(host.fork('r', 'fork', { at: -1 })).rejects.toThrow(/seq of a journal entry/);
    },
  );

  add('the random numbers of a path are one sequence, however often it is entered', async (bench) => {
    const host = bench.open(
      work(async (durable) => {
        const uuids = [durable, durable.scope('a'), durable.scope('a'), durable.scope('b')].map((each) => each.uuid());
        return [new Set(uuids).size, uuids.every((uuid) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid))];
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual([4, true]);
  });

  add('a fork may take another input', async (bench) => {
    const host = bench.open(work(async (durable, input) => [await durable.step('a', () => 1), input]));
    await host.start('work', 'r', 'old');
    await host.result('r');
    await host.fork('r', 'f', { at: 1, input: { is: 'new' } });
    expect(await host.result('f')).toMatchObject({ output: [1, { is: 'new' }], input: { is: 'new' } });
  });

  add('a fork may go on with another workflow', async (bench) => {
    const steps = (say: string) => async (durable: Durable) => {
      const first = await durable.step('a', () => say);
      return [first, await durable.step('b', () => say), durable.seed, durable.now() > 0];
    };
    const host = bench.open(work(steps('old')), { ...work(steps('new'), 'other'), version: 2 });
    await host.start('work', 'r', 'input');
    const { output, workflow } = await host.result('r');
    expect([workflow, output]).toEqual(['work', ['old', 'old', expect.any(String), true]]);
    const [, , seed] = output as string[];
    expect(await host.fork('r', 'f', { at: 1, workflow: 'other' })).toBe('started');
    expect(await host.result('f')).toMatchObject({
      workflow: 'other',
      version: 1,
      forkedFrom: 'r',
      input: 'input',
      output: ['old', 'new', seed, true],
    });
    expect((await host.list({ workflow: 'other' })).map(({ id }) => id)).toEqual(['f']);
    await expect(host.fork('r', 'g', { at: 1, workflow: 'nowhere' })).rejects.toThrow(/registered: work, other/);
    expect(await host.info('g')).toBeUndefined();
  });

  add('a fork may replace what its last entry holds, a failure too', async (bench) => {
    const workflow = work(async (durable) => {
      const a = await durable.step('a', () => 1);
      const b = await durable.step('b', () => Promise.reject(new RangeError('out'))).catch(String);
      return [a, b, await durable.step('c', () => 'live')];
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual([1, 'StepFailedError: b: out', 'live']);
    const entries = await entriesOf(host, 'r');
    const large = 'x'.repeat(100_000);
    await host.fork('r', 'value', { at: 1, last: { value: { large } } });
    expect((await host.result('value')).output).toEqual([{ large }, 'StepFailedError: b: out', 'live']);
    expect((await entriesOf(host, 'value'))[0]).toEqual({ ...entries[0], value: { large } });
    await host.fork('r', 'failure', { at: 2, last: { value: 2 } });
    expect((await host.result('failure')).output).toEqual([1, 2, 'live']);
    expect(await entriesOf(host, 'r')).toEqual(entries);
    for (const at of [0, 4]) {
      await expect(host.fork('r', 'none', { at, last: { value: 0 } })).rejects.toThrow(/has no journal entry/);
    }
    expect(await host.info('none')).toBeUndefined();
  });

  add('a host tells what a replay of a run begins with', async (bench) => {
    const host = bench.open(work(async (durable, input) => [durable.seed, durable.now(), durable.codeVersion, input]));
    await host.start('work', 'r', { is: 'input' });
    const { output } = await host.result('r');
    const { seed, began, version, workflow, input } = (await host.beginning('r'))!;
    expect([seed, began, version, input]).toEqual(output);
    expect(workflow).toBe('work');
    await host.fork('r', 'f', { at: 0, input: 'other' });
    expect(await host.beginning('f')).toEqual({ seed, began, version, workflow, input: 'other' });
    expect(await host.beginning('nobody')).toBeUndefined();
  });

  add('time is the journal’s: it stands still between entries and replays', async (bench) => {
    const workflow = work(async (durable) => {
      const times = [durable.now()];
      await durable.step('wait', () => new Promise((resolve) => setTimeout(resolve, 8)));
      times.push(durable.now(), durable.scope('s').now());
      await durable.parallel('p', [(branch) => branch.sleep(5)]);
      times.push(durable.now());
      return times;
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    const { output, created } = await host.result('r');
    const [begin, after, scoped, last] = output as number[];
    expect(begin).toBe(created);
    expect(after! - begin!).toBeGreaterThanOrEqual(7);
    expect(scoped).toBe(after);
    expect(last! - after!).toBeGreaterThanOrEqual(4);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await host.fork('r', 'again', { at: 3 });
    expect((await host.result('again')).output).toEqual(output);
  });

  add('a journal that does not fit the code parks the run, and code that fits finishes it', async (bench) => {
    const recorded = work(async (durable) => {
      const a = await durable.step('a', () => 1);
      await durable.waitFor('go');
      return a + (await durable.step('b', () => 2));
    });
    const first = bench.open(recorded);
    await first.start('work', 'r', null);
    await first.result('r');
    await first.close();
    const renamed = work((durable) => durable.step('renamed', () => 1));
    const empty = work(async () => 'nothing asked');
    const throwing = work(async () => {
      throw new Error('a bug before the first step');
    });
    const swallowing = work(async (durable) => {
      await durable.step('renamed', () => 1).catch(() => undefined);
      return 'swallowed';
    });
    for (const wrong of [renamed, empty, throwing, swallowing]) {
      const second = bench.open(wrong);
      await second.resume('r');
      const parked = await second.result('r');
      expect(parked).toMatchObject({ state: 'parked', error: expect.stringMatching(/journal entry 1 is "a"/) });
      await second.close();
    }
    const fixed = bench.open(recorded);
    expect(await fixed.resume('r')).toBe('resumed');
    await fixed.signal('r', 'go', null);
    await expect.poll(async () => (await fixed.info('r'))?.output, { timeout: 5000 }).toBe(3);
    expect((await fixed.info('r'))?.error).toBeUndefined();
  });

  add('a nondeterminism error parks the run wherever it is thrown', async (bench) => {
    const reason = new NondeterminismError('the prompt differs');
    const workflows: Workflow[] = [
      work(async () => Promise.reject(reason), 'in the code'),
      work((durable) => durable.step('a', () => Promise.reject(reason)), 'in a closure'),
      work((durable) => durable.parallel('p', [async () => Promise.reject(reason)]), 'in a branch'),
    ];
    const host = bench.open(...workflows);
    for (const { name } of workflows) {
      await host.start(name, name, null);
      expect(await host.result(name)).toMatchObject({ state: 'parked', error: 'the prompt differs' });
    }
  });

  add('code may take its time before it asks for the first entry', async (bench) => {
    const workflow = work(async (durable) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return durable.step('a', () => 'once');
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    await host.result('r');
    await host.fork('r', 'again', { at: 1 });
    expect(await host.result('again')).toMatchObject({ state: 'completed', output: 'once' });
  });

  add('random programs end as their journal says, whatever crashes or cancels them', async (bench) => {
    let run = 0;
    const trials = fc.record({
      program: programs,
      crashes: fc.array(fc.nat(12), { maxLength: 3 }),
      cancelAfter: fc.option(fc.integer({ min: 1, max: 12 })),
    });
    const property = fc.asyncProperty(trials, (trial) => checkProgram(bench, `run-${run++}`, trial));
    await fc.assert(property, { numRuns: randomPrograms });
  });
}

interface Trial {
  program: Program;
  /** After how many executions each host dies. */
  crashes: number[];
  /** After how many executions in all the run is cancelled. */
  cancelAfter: number | null;
}

/** Counts the executions of one run and interferes with it. */
class Interference {
  readonly counts: Map<string, number> = new Map();
  executions: number = 0;
  cancelAfter: number = Number.POSITIVE_INFINITY;
  crashAfter: number = Number.POSITIVE_INFINITY;
  cancel: () => Promise<void> = async () => undefined;
  crash: () => void = () => undefined;

  readonly executed: (key: string) => string = (key) => {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.executions++;
    // The host may be gone by then.
    if (this.executions === this.cancelAfter) this.cancel().catch(() => undefined);
    if (this.executions === this.crashAfter) setImmediate(this.crash);
    return `${this.executions}`;
  };
}

async function checkProgram(bench: Bench, id: string, { program, crashes, cancelAfter }: Trial): Promise<void> {
  const interference = new Interference();
  const { counts, executed } = interference;
  interference.cancelAfter = cancelAfter ?? Number.POSITIVE_INFINITY;
  const workflow = work((durable) => runProgram(durable, program, { trace: [], executed }));
  const goOn = async (): Promise<DurableHost> => {
    const host = bench.open(workflow);
    interference.cancel = () => host.cancel(id);
    if ((await host.start('work', id, null)) === 'exists') await host.resume(id);
    return host;
  };
  const known = new Map<string, number | undefined>();
  for (const after of crashes) {
    const crashed = gate();
    interference.crash = crashed.open;
    interference.crashAfter = interference.executions + after + 1;
    const host = await goOn();
    await Promise.race([crashed.wait, host.result(id)]);
    await host.close();
    const reader = bench.open();
    for (const { key } of await entriesOf(reader, id)) known.set(key, counts.get(`${id}/${key}`));
    await reader.close();
  }
  interference.crashAfter = Number.POSITIVE_INFINITY;
  const host = await goOn();
  const { state, output } = await host.result(id);
  expect(state).toBe('completed');
  for (const [key, count] of known) expect(counts.get(`${id}/${key}`)).toBe(count);
  const entries = await entriesOf(host, id);
  expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
  await host.fork(id, `${id}-replay`, { at: entries.length });
  expect((await host.result(`${id}-replay`)).output).toEqual(output);
  for (const { key } of entries) expect(counts).not.toContain(`${id}-replay/${key}`);
  await host.close();
}
