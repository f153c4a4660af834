import { describe, expect, it } from 'vitest';
import suite from '../../examples/suites/price-desk/suite.ts';
import { defineAgent } from '../../src/agent.ts';
import type { AgentOptions } from '../../src/agent-options.ts';
import { offlineContext } from '../../src/checks/offline.ts';
import type { Attempt } from '../../src/core/attempt.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { Result } from '../../src/core/result.ts';
import type { Configuration, EvalTask } from '../../src/evals/suite.ts';
import { inMemoryLessons } from '../../src/memory/in-memory-lessons.ts';
import { lessons } from '../../src/solver/lessons/lessons.ts';
import { planAndSolve } from '../../src/solver/plan-and-solve/plan-and-solve.ts';
import { reflexion } from '../../src/solver/reflexion/reflexion.ts';
import { selfConsistency } from '../../src/solver/self-consistency/self-consistency.ts';
import type { Layer } from '../../src/solver/solver.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import { flawsOf, type GeneratedTask, generateTasks } from '../../src/testing/testing.ts';

const tasks = await suite.tasks();
const generated = new Map(generateTasks({ seed: 1, count: tasks.length }).map((task) => [task.id, task]));

function known(task: EvalTask): GeneratedTask {
  const found = generated.get(task.id);
  if (!found) throw new Error(`${task.id} is not generated`);
  return found;
}

function optionsOf({ agent }: Pick<Configuration, 'agent'>, task: EvalTask): AgentOptions {
  return typeof agent === 'function' ? agent({ task, repeat: 1, folder: '' }) : agent;
}

function attemptWith(part: Partial<Attempt>): Attempt {
  return {
    ...{
      claims: [],
      observations: [],
      reports: [],
      drafts: [],
      ended: { type: 'final' },
      degraded: false,
      revisions: 0,
    },
    ...part,
  };
}

async function grade(task: EvalTask, answer: string | undefined, attempt = attemptWith({})) {
  const [grader] = suite.graders(task);
  return grader?.grade({ task, answer, attempt }, offlineContext());
}

interface Ran {
  task: EvalTask;
  pass: boolean;
  result: Result;
  events: RunEvent[];
}

/** Runs the first tasks as a runner does: without tools, with the context under the question. */
async function runAll(configuration: Pick<Configuration, 'agent'>, layers?: readonly Layer[]): Promise<Ran[]> {
  const ran: Ran[] = [];
  for (const task of tasks.slice(0, 60)) {
    const options = optionsOf(configuration, task);
    const agent = defineAgent({ ...options, ...(layers && { layers }) });
    const input = options.tools ? task.input : `${task.input}\n\nContext:\n${task.context}`;
    const { constraints = [], outputSchema } = task;
    const run = agent.run({ input, constraints: [...constraints], ...(outputSchema && { outputSchema }) });
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const result = await run;
    ran.push({ task, result, events, pass: (await grade(task, result.answer))?.pass === true });
    await agent.close();
  }
  return ran;
}

const passes = (ran: readonly Ran[]): number => ran.filter(({ pass }) => pass).length;

describe('the price desk suite', () => {
  it('has at least 240 tasks in two languages, and says that its models are simulated', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(240);
    expect(new Set(tasks.map(({ kind }) => kind)).size).toBe(10);
    expect(suite.description).toMatch(/^SIMULATED/);
    for (const configuration of suite.configurations) {
      const { model } = optionsOf(configuration, tasks[0]!);
      const ids = Object.values(Object(model) as Record<string, { modelId: string }>).map(({ modelId }) => modelId);
      expect(ids.every((id: string) => id.startsWith('simulated-'))).toBe(true);
    }
  });

  it('grades the right answer as right, and every answer that a fault changes as wrong', async () => {
    for (const task of tasks) {
      const { right, wrong } = known(task);
      expect(await grade(task, right.answer), task.id).toMatchObject({ pass: true, score: 1 });
      expect(await grade(task, undefined)).toMatchObject({ pass: false });
      for (const draft of Object.values(wrong)) {
        const same = draft.answer === right.answer;
        expect((await grade(task, draft.answer))?.pass, `${task.id} ${draft.answer}`).toBe(same);
      }
    }
  });

  it('judges trials by a rule that the verification does not know, without the reference', async () => {
    const { evaluator, verification: verified } = suite.ablation ?? {};
    for (const task of tasks) {
      const { right, wrong, documents, task: asked } = known(task);
      const content = documents.map(({ text }) => text).join('\n');
      const observations = [
        { id: 'obs-1', path: '', tool: 'searchDocs', args: {}, status: 'ok', content, trust: 'untrusted' } as const,
      ];
      const claiming = ({ answer, claims }: typeof right): Attempt => {
        const [claim] = claims;
        const [quote = ''] = claim?.quotes ?? [];
        const cited = [{ text: claim?.text ?? '', evidence: [{ observation: 'obs-1', quote }] }];
        return attemptWith({ answer, claims: cited, observations });
      };
      const judge = evaluator?.(task);
      expect(judge?.knows).toBe('rules');
      const stale = await judge?.evaluate(claiming(wrong['stale-value'] ?? right), asked, offlineContext());
      const honest = await judge?.evaluate(claiming(right), asked, offlineContext());
      expect(stale?.feedback, task.id).toContain('is not in force');
      expect(honest?.feedback, task.id).not.toContain('is not in force');
      expect(stale?.feedback).not.toContain(right.answer);
    }
    const names = (verified?.checks ?? []).map((check) => (typeof check === 'string' ? check : check.name));
    expect(names).toContain('conditions');
    expect(names).not.toContain('in-force');
  });

  it('is answered under each of its configurations, and better with everything on', async () => {
    const [direct, react, full] = await Promise.all(suite.configurations.map((one) => runAll(one)));
    for (const { result } of [...direct!, ...react!, ...full!]) expect(result.reason.code).not.toMatch(/error$/);
    expect(passes(full!)).toBeGreaterThan(passes(react!) + 10);
    expect(passes(direct!)).toBeGreaterThan(20);
    const baseless = react!.filter(({ task, pass, result }) => pass && flawsOf(known(task), result.attempt).length > 0);
    // Right by its words, with claims that nothing carries: this is what the verification is for.
    expect(baseless.length).toBeGreaterThan(0);
  });

  it('works under all mechanisms at once, and its lessons are admitted, recalled and give nothing away', async () => {
    const { agent, evaluator, verification: verified, selfConsistency: sampled } = suite.ablation!;
    const store = inMemoryLessons();
    const ran = await runAll({ agent }, [
      lessons({ store }),
      reflexion({ evaluator: evaluator!(tasks[0]!) }),
      selfConsistency(sampled),
      verification(verified),
      planAndSolve(),
    ]);
    for (const { result } of ran) expect(result.reason.code).not.toMatch(/error$/);
    expect(passes(ran)).toBeGreaterThan(50);
    const recalled = ran.filter(({ events }) =>
      events.some((one) => one.type === 'lesson.recalled' && one.lessons.length > 0),
    );
    expect(recalled.length).toBeGreaterThan(20);
    const kept = await store.list({ status: 'active' });
    expect(kept.length).toBeGreaterThan(2);
    for (const { trigger, failurePattern, lesson, avoid } of kept)
      expect(`${trigger}${failurePattern}${lesson}${avoid}`).not.toMatch(/\d/);
  });
});
