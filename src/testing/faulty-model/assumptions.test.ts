import { describe, expect, it } from 'vitest';
import { type Agent, type AgentOptions, defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import { direct } from '../../solver/direct.ts';
import { planAndSolve } from '../../solver/plan-and-solve/plan-and-solve.ts';
import { chainOfThought } from '../../solver/self-consistency/chain-of-thought.ts';
import { selfConsistency } from '../../solver/self-consistency/self-consistency.ts';
import type { Layer } from '../../solver/solver.ts';
import { verification } from '../../solver/verification/verification.ts';
import {
  type FaultName,
  type FaultyModelOptions,
  faultyModel,
  flawsOf,
  type GeneratedTask,
  generatedTools,
  generateTasks,
  simulatedVerifier,
} from '../faulty-model.ts';
import { teachings } from './teachings.ts';

const tasks = generateTasks({ seed: 4, count: 60 });

interface Ran {
  task: GeneratedTask;
  result: Result;
  events: RunEvent[];
}

async function runAll(options: Omit<FaultyModelOptions, 'tasks'>, agent: Partial<AgentOptions> = {}): Promise<Ran[]> {
  const ran: Ran[] = [];
  const built: Agent = defineAgent({
    model: faultyModel({ ...options, tasks }),
    tools: generatedTools(tasks),
    ...agent,
  });
  for (const task of tasks) {
    const run = built.run({ ...task.task, ...(agent.tools && { input: withDocuments(task) }) });
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    ran.push({ task, result: await run, events });
  }
  await built.close();
  return ran;
}

function withDocuments({ task, documents }: GeneratedTask): string {
  return [task.input, '', 'Context:', ...documents.map(({ title, text }) => `${title}\n${text}`)].join('\n');
}

const withoutTools = { tools: [], solver: direct() };

const saysWrong = (ran: readonly Ran[]): Ran[] => ran.filter(({ task, result }) => result.answer !== task.right.answer);

function noting(text: string): Layer {
  return {
    name: 'noting',
    config: {},
    place: 'information',
    wrap: (inner) => (brief, run) => inner({ ...brief, notes: [{ from: 'reflection', text }] }, run),
  };
}

describe('sampling', () => {
  const sampled = { layers: [selfConsistency({ samples: 4, stopEarly: false, normalise: (answer) => answer })] };
  const differing = (ran: readonly Ran[]): number =>
    ran.filter(
      ({ events }) => new Set(events.flatMap((one) => (one.type === 'sample.end' ? [one.answer] : []))).size > 1,
    ).length;

  it('draws the fault of a further sample anew on the stated share of tasks', async () => {
    const faults = { 'answer-off-claims': 0.25, 'dropped-constraint': 0.25 };
    const at = async (sampling: number) =>
      differing(await runAll({ faults, sampling }, { ...withoutTools, ...sampled }));
    const [none, some, all] = [await at(0), await at(0.5), await at(1)];
    expect(none).toBe(0);
    expect(all).toBeGreaterThan(tasks.length / 2);
    expect(some).toBeGreaterThan(all * 0.3);
    expect(some).toBeLessThan(all * 0.7);
  });

  it('lets a vote outnumber what is rare, and not what is systematic', async () => {
    const faults = { 'stale-value': 0.25 };
    const layers = [selfConsistency({ samples: 9, normalise: (answer) => answer })];
    const wrong = async (sampling: number, agent: Partial<AgentOptions>) =>
      saysWrong(await runAll({ faults, sampling }, { ...withoutTools, ...agent })).length;
    const alone = await wrong(1, {});
    expect(alone).toBeGreaterThan(5);
    expect(await wrong(1, { layers })).toBeLessThan(alone / 2);
    expect(await wrong(0, { layers })).toBe(alone);
  });

  it('keeps to one fault over the turns of a sample', async () => {
    const ran = await runAll({ faults: { 'stale-value': 0.5 }, sampling: 1 }, sampled);
    expect(differing(ran)).toBeGreaterThan(tasks.length / 2);
    for (const { task, events } of ran) {
      const calls = events.filter((event) => event.type === 'tool.call').length;
      expect(calls, task.id).toBe(task.right.calls.length * 4);
    }
  });

  it('takes the number of the sample from the caller', async () => {
    const model = faultyModel({ tasks, faults: { 'answer-off-claims': 0.5 }, sampling: 1 });
    const [task] = tasks.filter((one) => 'answer-off-claims' in one.wrong);
    const said = async (sample?: number): Promise<string> => {
      const { content } = await model.doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text: `Task: ${task?.task.input}` }] }],
        responseFormat: { type: 'json', schema: { type: 'object', properties: { answer: {}, claims: {} } } },
        temperature: 0.7,
        ...(sample !== undefined && { providerOptions: { assay: { sample } } }),
      });
      return JSON.stringify(content);
    };
    const counted = [await said(), await said(), await said(), await said(), await said(), await said()];
    expect(new Set(counted).size).toBe(2);
    for (const [sample, text] of counted.entries()) expect(await said(sample)).toBe(text);
  });
});

describe('a plan', () => {
  const faults: Partial<Record<FaultName, number>> = { 'dropped-constraint': 1 };
  const open = tasks.filter(({ wrong }) => 'dropped-constraint' in wrong).length;

  it('prevents a fault with the stated probability', async () => {
    const wrong = async (chance: number, layers: Layer[]) =>
      saysWrong(await runAll({ faults, planPrevents: { 'dropped-constraint': chance } }, { layers })).length;
    expect(await wrong(1, [])).toBe(open);
    expect(await wrong(1, [planAndSolve()])).toBe(0);
    const half = await wrong(0.5, [planAndSolve()]);
    expect(half).toBeGreaterThan(open * 0.3);
    expect(half).toBeLessThan(open * 0.7);
  });

  it('is not undone when an answer without a fault is sent back', async () => {
    const options = { faults, planPrevents: { 'dropped-constraint': 1 }, repair: 0 };
    const model = {
      actor: faultyModel({ ...options, tasks }),
      verifier: simulatedVerifier({ tasks, falseAlarms: 1 }),
    };
    const ran = await runAll({}, { model, layers: [verification(), planAndSolve()] });
    expect(ran.some(({ events }) => events.some((event) => event.type === 'refine.made' && !event.withTools))).toBe(
      true,
    );
    for (const { task, events } of ran) {
      const drafted = events.flatMap((event) => (event.type === 'answer.drafted' ? [event.answer] : []));
      expect(new Set(drafted), task.id).toEqual(new Set([task.right.answer]));
    }
  });
});

describe('a note', () => {
  const faults = { 'stale-value': 1 };

  it('prevents the fault that it is about, with the stated probability, and no other', async () => {
    const wrong = async (chance: number, text: string) =>
      saysWrong(await runAll({ faults, notesPrevent: { 'stale-value': chance } }, { layers: [noting(text)] })).length;
    expect(await wrong(1, teachings.en.unit.lesson)).toBe(tasks.length);
    expect(await wrong(1, `Next time: (1) ${teachings.en.edition.lesson}`)).toBe(0);
    expect(await wrong(1, teachings.zh.edition.lesson)).toBe(0);
    const half = await wrong(0.5, teachings.en.edition.lesson);
    expect(half).toBeGreaterThan(tasks.length * 0.3);
    expect(half).toBeLessThan(tasks.length * 0.7);
  });
});

describe('an answer without tools', () => {
  it('has faults of its own', async () => {
    const mix = { faults: { 'stale-value': 1 }, faultsWithoutTools: { 'dropped-constraint': 1 } };
    const [unaided, aided] = [await runAll(mix, withoutTools), await runAll(mix)];
    const answers = (ran: readonly Ran[], fault: FaultName) =>
      ran.filter(({ task, result }) => result.answer === task.wrong[fault]?.answer).length;
    expect(answers(unaided, 'dropped-constraint')).toBe(saysWrong(unaided).length);
    expect(answers(unaided, 'dropped-constraint')).toBeGreaterThan(tasks.length / 2);
    expect(answers(aided, 'stale-value')).toBe(tasks.length);
  });

  it('has the plan of an actor with tools before it', async () => {
    const ran = await runAll({ faults: { 'over-long-plan': 1 }, faultsWithoutTools: {} }, { layers: [planAndSolve()] });
    const planned = ran.flatMap(({ events }) =>
      events.filter((event) => event.type === 'model.call' && event.step === 'plan'),
    );
    expect(planned.length).toBeGreaterThan(tasks.length);
  });

  it('is right without faults, at once and with its working', async () => {
    for (const solver of [direct(), chainOfThought()]) {
      const ran = await runAll({}, { tools: [], solver });
      const flaws = ran.flatMap(({ task, result }) => flawsOf(task, result.attempt, { closed: true }));
      expect(flaws).toEqual([]);
      expect(ran.every(({ result }) => result.usage.modelCalls === 1)).toBe(true);
    }
  });
});

it('refuses shares that are none', () => {
  expect(() => faultyModel({ tasks, sampling: 1.5 })).toThrow(/sampling is 1.5/);
  expect(() => faultyModel({ tasks, planPrevents: { 'stale-value': -1 } })).toThrow(/stale-value is -1/);
  expect(() => faultyModel({ tasks, faultsWithoutTools: { 'stale-value': 2 } })).toThrow(/sum to 2/);
});
