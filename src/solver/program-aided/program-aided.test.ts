import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { AgentOptions } from '../../agent-options.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { runCode } from '../../tools/builtin/run-code.ts';
import { tool } from '../../tools/tool.ts';
import type { Layer } from '../solver.ts';
import { verification } from '../verification/verification.ts';
import { programAided } from './program-aided.ts';

const program = (code: string): string => JSON.stringify({ code });

/** A sandbox that does what the program says: `print X`, `fail X`, or nothing. */
const pretended = tool({
  name: 'runCode',
  description: 'Runs a program.',
  input: z.object({ language: z.string(), code: z.string() }),
  effect: 'read',
  run: ({ code }) => {
    const [verb, ...rest] = code.split(' ');
    const said = rest.join(' ');
    return verb === 'fail'
      ? { ended: 'error', stdout: '', stderr: said }
      : { ended: 'completed', stdout: verb === 'print' ? `${said}\n` : '', stderr: '' };
  },
});

async function compute(programs: ScriptedReply[], options: Partial<AgentOptions> = {}, retries = 2) {
  const model = scriptedModel(programs);
  const solver = programAided({ retries });
  const result = await defineAgent({ model, solver, tools: [pretended], ...options }).run('what is 6 times 7');
  return { result, model, prompts: model.calls.map(({ prompt }) => JSON.stringify(prompt)) };
}

describe('programAided', () => {
  it('answers with what the program printed, and the output is its evidence', async () => {
    const { result } = await compute([program('print 42')]);
    expect(result.answer).toBe('42');
    expect(result.attempt.observations).toMatchObject([{ id: 'obs-1', tool: 'runCode', status: 'ok' }]);
    expect(result.attempt.claims).toEqual([{ text: '42', evidence: [{ observation: 'obs-1', quote: '42' }] }]);
    expect(result.metrics).toMatchObject({ supportedClaims: 1, toolCalls: 1 });
  });

  it('passes the checks that look for evidence, also with lines and quotation marks in the output', async () => {
    const layers = [verification({ verifier: false })];
    const { result } = await compute([program('print {"boats": "seven"}\nand\tmore')], { layers });
    expect(result).toMatchObject({ status: 'completed', answer: '{"boats": "seven"}\nand\tmore' });
  });

  it('sends a program that failed or printed nothing back with the reason', async () => {
    const { result, prompts } = await compute([program('fail NameError: x'), program('pass'), program('print 42')]);
    expect(result.answer).toBe('42');
    expect(prompts[1]).toContain('fail NameError: x');
    expect(prompts[1]).toMatch(/<data \w+>\\nit ended with: error\\nNameError: x/);
    expect(prompts[2]).toContain('it printed nothing');
    expect(result.attempt.observations).toHaveLength(3);
  });

  it('gives up after so many programs, and says why', async () => {
    const { result, model } = await compute([program('fail a'), program('fail b')], {}, 1);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'invalid-answer' } });
    expect(result.reason.detail).toContain('2 program(s)');
    expect(model.calls).toHaveLength(2);
    expect(() => programAided({ retries: -1 })).toThrow('retries is -1');
  });

  it('does not run the same failing program a third time', async () => {
    const { result, prompts } = await compute(
      Array.from({ length: 4 }, () => program('fail a')),
      {},
      3,
    );
    expect(result.attempt.observations).toHaveLength(2);
    expect(prompts[3]).toContain('Blocked: this very call');
  });

  it('stays in the budget for tools', async () => {
    const { result } = await compute([program('fail a'), program('print 42')], { budget: { toolCalls: 1 } });
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'toolCalls' } });
    expect(result.answer).toBeUndefined();
  });

  it('runs what a policy asks about only after a human agreed', async () => {
    const model = scriptedModel([program('print 42')]);
    const policy = { rules: [{ tool: 'runCode', action: 'ask' as const }] };
    const agent = defineAgent({ model, solver: programAided(), tools: [pretended], policy });
    const run = agent.run('what is 6 times 7', { runId: 'run' });
    for await (const event of run) {
      if (event.type === 'approval.requested') void agent.decide('run', event.signal, { approved: true });
    }
    expect((await run).answer).toBe('42');
  });

  it('writes a program again for a revision, with the issues in view', async () => {
    const revising: Layer = {
      name: 'revising',
      config: {},
      place: 'reflection',
      wrap: (inner) => async (brief, run) => {
        const attempt = await inner(brief, run);
        const issues = [{ type: 'incomplete' as const, detail: 'no unit', requiredAction: 'add it' }];
        return inner({ ...brief, revise: { attempt, issues } }, run);
      },
    };
    const { result, prompts } = await compute([program('print 42'), program('print 42 m')], { layers: [revising] });
    expect(prompts[1]).toContain('no unit');
    expect(result.answer).toBe('42 m');
    expect(result.attempt.claims[0]?.evidence).toEqual([{ observation: 'obs-2', quote: '42 m' }]);
  });

  it('runs a real program in a sandbox of its own where the agent has no runCode', async () => {
    const model = scriptedModel([program('const boats = [3, 4]; console.log(boats[0] + boats[1]);')]);
    const solver = programAided({ language: 'javascript' });
    const bare = await defineAgent({ model, solver }).run('how many boats');
    expect(bare).toMatchObject({ answer: '7', attempt: { observations: [{ tool: 'runCode', status: 'ok' }] } });
    const failing = scriptedModel([program('boats'), program('console.log(7)')]);
    const tools = [runCode({ languages: ['javascript'] })];
    const mended = await defineAgent({ model: failing, solver, tools }).run('how many boats');
    expect(mended.answer).toBe('7');
    expect(JSON.stringify(failing.calls[1]?.prompt)).toContain('ReferenceError');
  });
});
