import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { Check } from '../../checks/check.ts';
import type { Claim, Issue } from '../../core/attempt.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { react } from '../react/react.ts';
import { type VerificationOptions, verification } from './verification.ts';

const shelf = tool({
  name: 'shelf',
  description: 'Reads a shelf.',
  input: z.object({ n: z.number() }),
  effect: 'read',
  run: ({ n }) => `Shelf ${n} holds jars of kind ${n}.`,
});

const claimOf = (n: number): Claim => ({
  text: `kind ${n} stands there`,
  evidence: [{ observation: `obs-${n}`, quote: `Shelf ${n} holds jars` }],
});
const refined = JSON.stringify({ answer: 'good', claims: [] });

/** Finds a fault of the type in every answer but `good`. */
const faulty = (type: Issue['type']): Check => ({
  name: 'faulty',
  run: ({ answer }) => (answer === 'good' ? [] : [{ type, detail: 'not good', requiredAction: 'make it good' }]),
});

async function verify(
  script: Record<string, ScriptedReply[]>,
  options: VerificationOptions,
  agent: Partial<AgentOptions> = {},
) {
  const left = structuredClone(script);
  const model = scriptedModel(
    (_, { role }) => left[role]?.shift() ?? { error: { status: 400, message: `nothing left for ${role}` } },
  );
  const result = await defineAgent({ model, tools: [shelf], layers: [verification(options)], ...agent }).run('jars');
  const prompts = (role: string) =>
    model.calls.map((call) => JSON.stringify(call.prompt)).filter((text) => text.includes(`ROLE ${role}\\n`));
  return { result, prompts };
}

describe('a round of verification', () => {
  it('rewrites, and does not go back to the tools, where there are none or a computation is all that is wrong', async () => {
    const script = { actor: [callFinal('bad')], refine: [refined] };
    const noTools = await verify(script, { checks: [faulty('incomplete')], verifier: false }, { tools: [] });
    const computation = await verify(script, { checks: [faulty('wrong_computation')], verifier: false });
    for (const { result, prompts } of [noTools, computation]) {
      expect(result).toMatchObject({ status: 'revised', answer: 'good' });
      expect(prompts('actor')).toHaveLength(1);
    }
  });

  it('does not try to mend a last answer that a limit forced', async () => {
    const { result, prompts } = await verify(
      { actor: [callTool('shelf', { n: 1 }), callFinal('bad'), callFinal('good')] },
      { checks: [faulty('incomplete')], verifier: false },
      { solver: react({ maxSteps: 1 }) },
    );
    expect(result).toMatchObject({ status: 'stopped', answer: 'bad', attempt: { revisions: 0 } });
    expect(prompts('actor')).toHaveLength(2);
  });

  it('does not try to mend what could not be judged', async () => {
    const { result, prompts } = await verify({ actor: [callFinal('x')], refine: [refined] }, {});
    expect(result.reason.code).toBe('unchecked');
    expect(prompts('refine')).toEqual([]);
  });

  it('keeps the answer when its revision ends without one', async () => {
    const { result } = await verify({ actor: [callFinal('bad')] }, { checks: [faulty('incomplete')], verifier: false });
    expect(result).toMatchObject({ status: 'needs_more_evidence', answer: 'bad', reason: { code: 'open-issues' } });
    const unwritten = await verify(
      { actor: [callFinal('bad')] },
      { checks: [faulty('wrong_computation')], verifier: false },
    );
    expect(unwritten.result).toMatchObject({ status: 'needs_more_evidence', answer: 'bad' });
  });

  it('counts a fitting schema as checked, and an answer without anything to check as not', async () => {
    const model = () => scriptedModel([callFinal('{}')]);
    const layers = [verification({ verifier: false })];
    const shaped = await defineAgent({ model: model(), layers }).run({ input: 'x', outputSchema: { type: 'object' } });
    expect(shaped.status).toBe('completed');
    const bare = await defineAgent({ model: model(), layers }).run('x');
    expect(bare.reason.code).toBe('not-verified');
  });

  it('shows a question the observations of its claim, and all of them when it is about none', async () => {
    const questions = [
      { question: 'What stands on the second?', claim: 2 },
      { question: 'What of the third?', claim: 3 },
      { question: 'Is that all?' },
    ];
    const { prompts } = await verify(
      {
        actor: [
          callTool('shelf', { n: 1 }),
          callTool('shelf', { n: 2 }),
          callFinal('jars', [claimOf(1), claimOf(2), { text: 'it is dry', evidence: [] }]),
        ],
        questions: [JSON.stringify({ questions })],
        answers: [1, 2, 3].map((n) => JSON.stringify({ answer: `answer ${n}` })),
        verdict: [JSON.stringify({ verdict: 'pass', issues: [] })],
      },
      { checks: [] },
    );
    const shown = prompts('answers').map((text) => [1, 2].filter((n) => text.includes(`jars of kind ${n}`)));
    expect(shown).toEqual([[2], [1, 2], [1, 2]]);
    expect(prompts('verdict')[0]).toContain('Independent answer: answer 3');
  });

  it('judges nothing when one of the questions could not be answered', async () => {
    const { result, prompts } = await verify(
      {
        actor: [callFinal('jars')],
        questions: [JSON.stringify({ questions: [{ question: 'one?' }, { question: 'two?' }] })],
        answers: [JSON.stringify({ answer: 'one' })],
        verdict: [JSON.stringify({ verdict: 'pass', issues: [] })],
      },
      { checks: [] },
    );
    expect(result.reason.code).toBe('unchecked');
    expect(prompts('verdict')).toEqual([]);
  });

  it.each([
    ['the first draft', 1, 'bad'],
    ['a revision', 2, 'bad'],
  ])('leaves an answer when it is interrupted at %s', async (_, verifications, answer) => {
    const slow: Check = {
      name: 'slow',
      run: async ({ answer }, _task, { step }) => {
        const round = answer === 'bad' ? 1 : 2;
        if (round === verifications) await step('slow', () => new Promise(() => {}));
        return [{ type: 'incomplete', detail: 'not good', requiredAction: 'make it good' }];
      },
    };
    const model = scriptedModel([callFinal('bad'), callFinal('worse')]);
    const agent = defineAgent({ model, tools: [shelf], layers: [verification({ checks: [slow], verifier: false })] });
    const run = agent.run('jars');
    let drafted = 0;
    for await (const event of run) {
      if (event.type === 'answer.drafted' && ++drafted === verifications) await run.cancel();
    }
    const result = await run;
    expect(result).toMatchObject({ status: 'cancelled', answer });
    expect(result.attempt.reports).toHaveLength(verifications - 1);
  });
});
