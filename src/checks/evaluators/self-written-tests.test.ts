import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { direct } from '../../solver/direct.ts';
import { reflexion } from '../../solver/reflexion/reflexion.ts';
import { describeSandbox } from '../../tools/builtin/run-code.ts';
import { selfWrittenTests } from './self-written-tests.ts';

const sandboxes = await describeSandbox();
if (!sandboxes.python.works) console.warn(`skipped: tests written by the actor, because ${sandboxes.python.detail}`);

const answerOf = (code: string): string => JSON.stringify({ answer: `\`\`\`python\n${code}\n\`\`\`` });

async function judged(tests: ScriptedReply, codes: string[], trials = 2) {
  const script: Record<string, ScriptedReply[]> = {
    tests: [tests],
    direct: codes.map(answerOf),
    reflector: [JSON.stringify({ diagnosis: 'a slip', plan: ['mend it'] })],
  };
  const order: string[] = [];
  const model = scriptedModel((_, { role }) => {
    order.push(role);
    return script[role]?.shift() ?? `no reply for ${role}`;
  });
  const layers = [reflexion({ evaluator: selfWrittenTests({ language: 'python' }), trials })];
  const result = await defineAgent({ model, solver: direct(), layers }).run('write half(n), which halves a number');
  return { result, order, model, report: result.attempt.reports.at(-1) };
}

const written = (...tests: string[]): string => JSON.stringify({ function: 'half', tests });
const right = 'def half(n):\n    return n / 2';
const wrong = 'def half(n):\n    return n // 3';

describe.skipIf(!sandboxes.python.works)('selfWrittenTests', () => {
  it('has the actor write tests before it answers, and judges every trial by the same ones', async () => {
    const { result, order, report } = await judged(written('assert half(4) == 2'), [wrong, right]);
    expect(order).toEqual(['tests', 'direct', 'reflector', 'direct']);
    expect(result.answer).toContain('n / 2');
    expect(report).toMatchObject({ by: 'evaluator:tests-written-by-the-actor', knows: 'tests', verdict: 'pass' });
  });

  it('keeps no test that an empty stub passes, that cannot be parsed, or that knows an unknown name', async () => {
    const { report } = await judged(
      written('assert half(4) == 2', 'half(4)', 'assert half(4) = 2', 'assert halve(4) == 2'),
      [wrong],
      1,
    );
    expect(report?.issues[0]?.detail).toContain('tests written by the actor: 1 of 1 tests failed');
  });

  it('leaves the answer unjudged when no test is left', async () => {
    const { result, report } = await judged(written('half(4)', 'assert True'), [right]);
    expect(report).toMatchObject({ verdict: 'unchecked' });
    expect(report?.issues[0]?.detail).toContain('none of 2 parsed and failed on an empty stub');
    expect(result.status).toBe('needs_more_evidence');
  });

  it('leaves the answer unjudged when the actor writes none', async () => {
    expect((await judged({ error: { status: 400, message: 'no' } }, [right])).report).toMatchObject({
      verdict: 'unchecked',
    });
  });
});

it('refuses a number of tests that cannot be meant', () => {
  expect(() => selfWrittenTests({ language: 'python', maxTests: 0 })).toThrow(/at least 1/);
});
