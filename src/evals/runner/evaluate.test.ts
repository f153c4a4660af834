import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { functionModel } from '../../model/providers/function-model.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { direct } from '../../solver/direct.ts';
import { react } from '../../solver/react/react.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import type { Grader } from '../grader.ts';
import { defineSuite, type EvalTask, type SuiteOptions } from '../suite.ts';
import { type EvaluateOptions, evaluate } from './evaluate.ts';
import { evaluationsIn, readEvaluation } from './evaluation-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evaluate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const equals: Grader = {
  name: 'equals',
  knows: 'reference',
  config: {},
  reads: 'answer',
  grade: ({ answer, task }) => {
    const pass = answer === task.expected;
    return { pass, score: pass ? 1 : 0, why: pass ? 'equal' : `not ${JSON.stringify(task.expected)}` };
  },
};

const towns = ['Ashby', 'Cold Ford', 'Merestone'];
const tasks: EvalTask[] = towns.map((town, index) => ({
  id: `town-${index}`,
  input: `How many letters has ${town}?`,
  expected: String(town.replace(/ /g, '').length),
  kind: index === 0 ? 'short' : 'long',
}));

const answering = (answer: string): string => JSON.stringify({ answer, claims: [] });

/** Answers rightly, and keeps what it was asked. */
function counting(): { model: ReturnType<typeof functionModel>; asked: string[] } {
  const asked: string[] = [];
  const model = functionModel((system, user) => {
    asked.push(`${system}\n${user}`);
    const town = /has ([\w ]+)\?/.exec(user)?.[1] ?? '';
    return answering(String(town.replace(/ /g, '').length));
  });
  return { model, asked };
}

const suiteOf = (options: Partial<SuiteOptions>) => defineSuite({ name: 'towns', tasks, grade: equals, ...options });
const run = (options: Partial<SuiteOptions>, how: EvaluateOptions = {}) =>
  evaluate(suiteOf(options), { folder, ...how });

describe('evaluate', () => {
  it('asks the models that stand in for one another, counts them all and names them', async () => {
    const { model } = counting();
    const refused = scriptedModel(() => ({ error: { status: 401, message: 'no access' } }), { modelId: 'closed' });
    const closed = { ...refused, textOnly: true };
    const { header, records } = await run({ solvers: { both: { model: [closed, model], solver: direct() } } });
    expect(records.map(({ outcome }) => outcome)).toEqual(['success', 'success', 'success']);
    expect(records.every(({ usage }) => usage.modelCalls === 2)).toBe(true);
    expect(header.configurations[0]?.models).toEqual([
      { role: 'actor', id: `closed, then ${model.modelId}`, source: 'scripted' },
    ]);
  });

  it('runs each configuration on each task so many times and keeps a record of each', async () => {
    const { model } = counting();
    const wrong = functionModel(() => answering('no idea'));
    const { header, records } = await run(
      { solvers: { right: { model, solver: direct() }, wrong: { model: wrong, solver: direct() } } },
      { repeats: 2 },
    );
    expect(records).toHaveLength(12);
    expect(records.filter(({ outcome }) => outcome === 'success').map(({ configuration }) => configuration)).toEqual(
      Array(6).fill('right'),
    );
    expect(new Set(records.map(({ runId }) => runId)).size).toBe(12);
    expect(header).toMatchObject({ tasks: 3, repeats: 2, baseline: 'right', subject: 'wrong' });
    const stored = readEvaluation(evaluationsIn(join(folder, 'towns'))[0] ?? '');
    expect(stored.records).toHaveLength(12);
    expect(stored.header.ended).toBeGreaterThan(0);
  });

  it('shows no agent what is expected, nor its kind', async () => {
    const { model, asked } = counting();
    const secret = tasks.map((task) => ({ ...task, expected: 'the-secret-reference', kind: 'secret-kind' }));
    await run({ tasks: secret, solvers: { one: { model, solver: direct() } } });
    expect(asked).toHaveLength(3);
    expect(asked.join('\n')).not.toMatch(/secret/);
  });

  it('puts the context into the prompt of a solver without tools, and not into that of one with tools', async () => {
    const { model, asked } = counting();
    const withContext = tasks.map((task) => ({ ...task, context: 'The register of towns.' }));
    const look = tool({ name: 'look', description: 'looks', input: z.object({}), effect: 'read', run: () => 'seen' });
    const scripted = scriptedModel(towns.map(() => callFinal('5', [])));
    await run({
      tasks: withContext,
      solvers: { open: { model, solver: direct() }, tools: { model: scripted, tools: [look], solver: react() } },
    });
    expect(asked.every((text) => text.includes('The register of towns.'))).toBe(true);
  });

  it('buys nothing twice: an evaluation that is run again takes its replies from the cache', async () => {
    const { model, asked } = counting();
    const solvers = { one: { model, solver: direct() } };
    await run({ solvers });
    expect(asked).toHaveLength(3);
    const again = await run({ solvers }, { fresh: true });
    expect(asked).toHaveLength(3);
    expect(again.records.every(({ usage, bought }) => usage.modelCalls === 1 && bought.modelCalls === 0)).toBe(true);
    await run({ solvers }, { fresh: true, cache: false });
    expect(asked).toHaveLength(6);
  });

  it('draws anew for another repeat', async () => {
    const { model, asked } = counting();
    await run({ solvers: { one: { model, solver: direct() } } }, { repeats: 3 });
    expect(asked).toHaveLength(9);
  });

  it('goes on with an evaluation that was stopped, and does no finished run again', async () => {
    const { model, asked } = counting();
    const stop = new AbortController();
    const solvers = { one: { model, solver: direct() } };
    const how = { concurrency: 1, cache: false };
    const stopped = run(
      { solvers },
      { ...how, signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) },
    );
    await expect(stopped).rejects.toThrow('enough');
    const before = asked.length;
    expect(before).toBeLessThan(3);
    const { records } = await run({ solvers }, how);
    expect(records.map(({ outcome }) => outcome)).toEqual(['success', 'success', 'success']);
    expect(asked).toHaveLength(3);
    expect(evaluationsIn(join(folder, 'towns'))).toHaveLength(1);
  });

  it('reads records of which a crash left half a line', async () => {
    const { model } = counting();
    const solvers = { one: { model, solver: direct() } };
    const stop = new AbortController();
    const first = run(
      { solvers },
      { concurrency: 1, signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) },
    );
    await expect(first).rejects.toThrow('enough');
    const [unfinished = ''] = evaluationsIn(join(folder, 'towns'));
    const file = join(unfinished, 'records.jsonl');
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"configuration":"one","ta`);
    const { records } = await run({ solvers });
    expect(records).toHaveLength(3);
    expect(readEvaluation(unfinished).records).toHaveLength(3);
  });

  it('tells a run that broke from one that failed, and does it again on request', async () => {
    let broken = true;
    const model = functionModel((_, user) => {
      if (broken && user.includes('Ashby')) throw new Error('the service is down');
      return answering('5');
    });
    const solvers = { one: { model, solver: direct() } };
    const { records } = await run({ solvers });
    expect(records.find(({ task }) => task === 'town-0')).toMatchObject({ outcome: 'broken' });
    broken = false;
    const mended = await run({ solvers }, { retry: true });
    expect(mended.records).toHaveLength(3);
    expect(mended.records.find(({ task }) => task === 'town-0')).toMatchObject({ outcome: 'success' });
  });

  it('never spends more than its budget: what finds no room is not run, and says so', async () => {
    const { model, asked } = counting();
    const agent = { model, solver: direct(), budget: { modelCalls: 2 } };
    const { records } = await run({ solvers: { one: agent }, budget: { modelCalls: 3 } }, { concurrency: 3 });
    expect(asked).toHaveLength(2);
    expect(records.map(({ outcome }) => outcome).sort()).toEqual(['not-run', 'success', 'success']);
    expect(records.find(({ outcome }) => outcome === 'not-run')?.detail).toMatch(/limit in modelCalls/);
  });

  it('refuses a budget that nothing can be reserved from', async () => {
    const { model } = counting();
    const agent = { model, solver: direct() };
    await expect(run({ solvers: { one: agent }, budget: { usd: 1 } })).rejects.toThrow(/limited in usd.*budget/);
  });

  it('gives each run an environment of its own, grades the state it is left in, and starts such a run anew after a stop', async () => {
    const opened: string[] = [];
    const changes: Grader = {
      ...equals,
      reads: 'state',
      grade: ({ state }) => ({ pass: state === 1, score: 0, why: String(state) }),
    };
    const script = () => scriptedModel([callTool('add', {}), callFinal('done', [])]);
    const { records } = await run({
      grade: changes,
      environment: (task) => {
        opened.push(task.id);
        let total = 0;
        const add = tool({
          ...{ name: 'add', description: 'adds one', input: z.object({}), effect: 'write' as const },
          run: () => `now ${++total}`,
        });
        return { tools: [add], state: () => total };
      },
      solvers: { one: () => ({ model: script(), policy: { write: 'allow' } }) },
    });
    expect(opened.sort()).toEqual(['town-0', 'town-1', 'town-2']);
    expect(records.map(({ outcome }) => outcome)).toEqual(['success', 'success', 'success']);
  });

  it('runs the tasks of a sequential configuration one after the other, in order', async () => {
    let running = 0;
    const order: string[] = [];
    const model = functionModel(async (_, user) => {
      expect(++running).toBe(1);
      order.push(/has ([\w ]+)\?/.exec(user)?.[1] ?? '');
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return answering('5');
    });
    await run({ solvers: { one: { agent: { model, solver: direct() }, sequential: true } } }, { concurrency: 3 });
    expect(order).toEqual(towns);
  });

  it('runs what comes later from the records of what came first', async () => {
    const { model } = counting();
    const { header, records } = await run(
      { solvers: { one: { model, solver: direct() } } },
      {
        later: (done) =>
          [{ name: `after ${done.length}`, agent: { model, solver: direct() } }].slice(0, done.length > 3 ? 0 : 1),
      },
    );
    expect(header.configurations.map(({ name }) => name)).toEqual(['one', 'after 3']);
    expect(records).toHaveLength(6);
  });

  it('starts anew when tasks, graders or configurations are others', async () => {
    const { model } = counting();
    const stop = new AbortController();
    const solvers = { one: { model, solver: direct() } };
    const first = run(
      { solvers },
      { concurrency: 1, signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) },
    );
    await expect(first).rejects.toThrow('enough');
    await run({ solvers, grade: { ...equals, config: { strict: true } } });
    expect(evaluationsIn(join(folder, 'towns'))).toHaveLength(2);
  });

  it('names the run in which a suite turned out impossible', async () => {
    const { model } = counting();
    const solvers = { one: () => ({ model, budget: { tokens: -1 } }) };
    await expect(run({ solvers })).rejects.toThrow(/one\/town-0\/1: The limit tokens is -1/);
  });
});
