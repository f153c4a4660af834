import { describe, expect, it } from 'vitest';
import { type Agent, defineAgent } from '../../src/agent.ts';
import type { Result } from '../../src/core/result.ts';
import { InMemoryJournals, inMemoryHost } from '../../src/runtime/in-memory.ts';
import { planAndSolve } from '../../src/solver/plan-and-solve/plan-and-solve.ts';
import type { Layer } from '../../src/solver/solver.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import {
  type FaultyModel,
  type FaultyModelOptions,
  faultNames,
  faultyModel,
  flawsOf,
  type GeneratedTask,
  generatedTools,
  generateTasks,
  simulatedVerifier,
} from '../../src/testing/faulty-model.ts';

const tasks = generateTasks({ seed: 11, count: 60 });

function agentFor(model: FaultyModel, layers: Layer[] = [], detects = 1): Agent {
  const verifier = simulatedVerifier({ tasks, detects });
  return defineAgent({
    model: { actor: model, verifier },
    tools: generatedTools(tasks),
    layers,
    policy: { irreversible: 'deny' },
  });
}

async function runAll(options: Omit<FaultyModelOptions, 'tasks'>, layers: Layer[] = [], detects = 1) {
  const model = faultyModel({ ...options, tasks });
  const agent = agentFor(model, layers, detects);
  const results = await Promise.all(tasks.map(({ task }) => agent.run(task).result));
  await agent.close();
  return { model, results };
}

const flawed = (results: readonly Result[]): GeneratedTask[] =>
  tasks.filter((task, index) => flawsOf(task, results[index]!.attempt).length > 0);

describe('faultyModel', () => {
  it('without faults solves every task, under the bare loop and under the layers', async () => {
    for (const layers of [[], [verification({ checks: [] }), planAndSolve()]]) {
      const { model, results } = await runAll({}, layers);
      expect(flawed(results)).toEqual([]);
      expect(model.committed).toEqual([]);
    }
  });

  it('commits a fault at its rate, and says so in `committed`', async () => {
    const { model, results } = await runAll({ faults: { 'fabricated-observation': 0.5 } });
    const committed = new Set(model.committed.map(({ task }) => task));
    expect(committed.size).toBeGreaterThan(tasks.length * 0.3);
    expect(committed.size).toBeLessThan(tasks.length * 0.7);
    expect(flawed(results).map(({ id }) => id)).toEqual(tasks.map(({ id }) => id).filter((id) => committed.has(id)));
  });

  it('divides its replies among several faults', async () => {
    const faults = { 'missing-claims': 0.4, 'arithmetic-slip': 0.4, 'stale-value': 0.2 };
    const { model, results } = await runAll({ faults });
    expect(new Set(model.committed.map(({ fault }) => fault))).toEqual(new Set(Object.keys(faults)));
    // Tasks about facts compute nothing, so that their share of the slips is not committed.
    expect(flawed(results).length).toBe(model.committed.length);
  });

  it('does the same for the same seed, and something else for another', async () => {
    const faults = { 'missing-claims': 0.5 };
    const [first, again, other] = [
      await runAll({ faults }),
      await runAll({ faults }),
      await runAll({ faults, seed: 2 }),
    ];
    expect(again.model.committed.toSorted(byTask)).toEqual(first.model.committed.toSorted(byTask));
    expect(again.results.map(({ answer, attempt }) => [answer, attempt.claims])).toEqual(
      first.results.map(({ answer, attempt }) => [answer, attempt.claims]),
    );
    expect(other.model.committed.toSorted(byTask)).not.toEqual(first.model.committed.toSorted(byTask));
  });

  it('mends what is reported with the given probability', async () => {
    const faults = { 'fabricated-observation': 1 };
    const layers = [verification({ checks: ['evidence'], verifier: false })];
    const always = await runAll({ faults, repair: 1 }, layers);
    expect(always.results.every(({ status }) => status === 'revised')).toBe(true);
    expect(flawed(always.results)).toEqual([]);
    const never = await runAll({ faults, repair: 0 }, layers);
    expect(never.results.every(({ status }) => status === 'needs_more_evidence')).toBe(true);
    expect(never.model.committed.some(({ reports }) => reports > 0)).toBe(true);
  });

  it('commits another fault where one is named for that', async () => {
    const { model } = await runAll(
      { faults: { 'fabricated-observation': 1 }, repair: 0, relapses: ['fabricated-observation', 'missing-claims'] },
      [verification({ verifier: false })],
    );
    expect(
      model.committed.filter(({ reports }) => reports === 0).every(({ fault }) => fault !== 'missing-claims'),
    ).toBe(true);
    expect(model.committed.some(({ fault }) => fault === 'missing-claims')).toBe(true);
  });

  it.each(faultNames.filter((name) => name !== 'forged-test-log'))('commits %s', async (fault) => {
    const { model } = await runAll({ faults: { [fault]: 1 }, repair: 1 }, [planAndSolve()]);
    expect(model.committed.length).toBeGreaterThan(5);
    expect(model.committed.every((one) => one.fault === fault && one.reports === 0)).toBe(true);
  });

  it('replies from the prompt alone, so that a run stopped at any journal entry ends the same', async () => {
    const options = { tasks, faults: { 'arithmetic-slip': 1 }, repair: 0.5 };
    const [{ task }] = tasks.filter((one) => 'arithmetic-slip' in one.wrong) as [GeneratedTask];
    const layers = [verification(), planAndSolve()];
    const journals = new InMemoryJournals();
    const build = (): Agent =>
      defineAgent({
        model: { actor: faultyModel(options), verifier: simulatedVerifier({ tasks }) },
        tools: generatedTools(tasks),
        layers,
        host: inMemoryHost({ journals }),
      });
    const whole = build();
    const expected = await whole.run(task, { runId: 'whole' });
    const length = (await Array.fromAsync(whole.host.journal('whole'))).length;
    await whole.close();
    expect(length).toBeGreaterThan(8);
    for (let at = 1; at < length; at++) {
      const other = build();
      await other.host.fork('whole', `fork-${at}`, { at });
      const forked = await other.resume(`fork-${at}`);
      expect(forked.answer).toBe(expected.answer);
      expect(forked.attempt.reports).toEqual(expected.attempt.reports);
      await other.close();
    }
  });

  it('refuses rates that are none and tasks it does not know', async () => {
    expect(() => faultyModel({ tasks, faults: { 'empty-reply': 0.6, 'missing-claims': 0.6 } })).toThrow(/sum to 1.2/);
    expect(() => faultyModel({ tasks, repair: 2 })).toThrow(/repair is 2/);
    const agent = agentFor(faultyModel({ tasks: [] }));
    const result = await agent.run('What is the capital of the moon?');
    expect(result.reason.detail).toMatch(/knows no task "What is the capital of the moon\?"/);
  });
});

describe('simulatedVerifier', () => {
  const faults = { 'wrong-claim-words': 0.5, 'wrong-derived-unit': 0.5 };
  const layers = [verification({ checks: [], refine: { rounds: 0 } })];

  it('sees every untruth when its quality is 1, and none when it is 0', async () => {
    const sharp = await runAll({ faults }, layers, 1);
    const wrong = flawed(sharp.results);
    expect(wrong.length).toBeGreaterThan(5);
    const statusOf = (task: GeneratedTask, results: readonly Result[]): string => results[tasks.indexOf(task)]!.status;
    for (const task of tasks)
      expect(statusOf(task, sharp.results)).toBe(wrong.includes(task) ? 'needs_more_evidence' : 'completed');
    const blind = await runAll({ faults }, layers, 0);
    expect(flawed(blind.results)).toEqual(wrong);
    expect(blind.results.every(({ status }) => status === 'completed')).toBe(true);
  });

  it('raises false alarms at the stated rate', async () => {
    const agent = defineAgent({
      model: { actor: faultyModel({ tasks }), verifier: simulatedVerifier({ tasks, falseAlarms: 0.5 }) },
      tools: generatedTools(tasks),
      layers,
    });
    const results = await Promise.all(tasks.map(({ task }) => agent.run(task).result));
    const alarms = results.filter(({ status }) => status !== 'completed').length;
    expect(alarms).toBeGreaterThan(tasks.length * 0.3);
    expect(alarms).toBeLessThan(tasks.length * 0.7);
  });
});

function byTask(one: { task: string }, other: { task: string }): number {
  return one.task < other.task ? -1 : 1;
}
