import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { Check, Evaluator } from '../../checks/check.ts';
import type { Claim } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import { inMemoryLessons } from '../../memory/in-memory-lessons.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { lessons } from '../../solver/lessons/lessons.ts';
import { react } from '../../solver/react/react.ts';
import { reflexion } from '../../solver/reflexion/reflexion.ts';
import { selfConsistency } from '../../solver/self-consistency/self-consistency.ts';
import { verification } from '../../solver/verification/verification.ts';
import { callFinal, callTool, callTools } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import type { RunFacts } from '../evaluation.ts';
import { factsOf, flaggedBy } from './run-facts.ts';

const shelf = tool({
  name: 'shelf',
  description: 'Reads a shelf.',
  input: z.object({ n: z.number() }),
  effect: 'read',
  run: ({ n }) => {
    if (n > 9) throw new Error('there are nine shelves');
    return `Shelf ${n} holds ${n} jars.`;
  },
});
const order = tool({
  name: 'order',
  description: 'Orders jars.',
  input: z.object({ jars: z.number() }),
  effect: 'irreversible',
  run: () => 'ordered',
});

/** Runs the agent on replies by role, in order; a human says no to everything. */
async function run(
  script: readonly ScriptedReply[] | Record<string, readonly ScriptedReply[]>,
  options: Partial<AgentOptions> = {},
): Promise<{ events: RunEvent[]; result: Result; facts: RunFacts }> {
  const left = new Map(
    Object.entries('length' in script ? { actor: script } : script).map(([role, all]) => [
      role,
      [...(all as ScriptedReply[])],
    ]),
  );
  const model = scriptedModel(
    (_, { role }) => left.get(role ?? '')?.shift() ?? { error: { status: 400, message: `no ${role} left` } },
  );
  const agent = defineAgent({ model, tools: [shelf, order], ...options });
  const handle = agent.run('count the jars');
  const events: RunEvent[] = [];
  for await (const event of handle) {
    events.push(event);
    if (event.type === 'approval.requested') await agent.decide(event.run, event.signal, { approved: false });
  }
  const result = await handle;
  await agent.close();
  return { events, result, facts: factsOf(events, result) };
}

const readShelf = callTool('shelf', { n: 1 });
const cited = (quote: string, observation = 'obs-1'): Claim => ({ text: 'one', evidence: [{ observation, quote }] });

describe('factsOf', () => {
  it('tells invalid, repeated, blocked and denied calls apart', async () => {
    const { facts } = await run(
      [
        callTools(['no such tool', {}], ['shelf', { n: 'many' }]),
        'just words',
        callTools(['shelf', { n: 1 }], ['shelf', { n: 2 }]),
        readShelf,
        readShelf,
        callTool('order', { jars: 3 }),
        callTool('order', { jars: 3 }),
        callFinal('three'),
      ],
      { solver: react({ maxFaults: 20 }) },
    );
    expect(facts).toMatchObject({
      turns: 8,
      toolCalls: 3,
      toolErrors: 0,
      // A tool that is not there, an argument of the wrong type, a reply without a call.
      invalidCalls: 3,
      // The second reading of the shelf, and the third, which was blocked.
      duplicateCalls: 2,
      blockedCalls: 1,
      // The human's no, and the call after it.
      deniedCalls: 2,
      stumbled: true,
    });
  });

  it('counts what a policy denies as denied', async () => {
    const policy = { rules: [{ action: 'deny' as const, tool: 'shelf', why: 'closed' }] };
    const { facts } = await run([readShelf, callFinal('none')], { policy });
    expect(facts).toMatchObject({ toolCalls: 0, invalidCalls: 0, deniedCalls: 1 });
  });

  it('does not call denied what a limit did not let run', async () => {
    const { facts, result } = await run([readShelf, readShelf, callFinal('one')], {
      budget: { toolCalls: 1 },
    });
    expect(result.reason.code).toBe('toolCalls');
    expect(facts).toMatchObject({ toolCalls: 1, toolErrors: 0, duplicateCalls: 0, deniedCalls: 0, stumbled: false });
  });

  it('counts tools that failed', async () => {
    const { facts } = await run([callTool('shelf', { n: 10 }), readShelf, callFinal('one')]);
    expect(facts).toMatchObject({ toolCalls: 2, toolErrors: 1, duplicateCalls: 0, stumbled: true });
  });

  it('counts claims and each piece of evidence', async () => {
    const both: Claim = {
      text: 'one',
      evidence: [...cited('holds 1 jars').evidence, ...cited('holds 5 jars').evidence],
    };
    const { facts } = await run([readShelf, callFinal('one', [cited('Shelf 1 holds'), both, cited('Shelf', 'obs-7')])]);
    expect(facts).toMatchObject({ claims: 3, supportedClaims: 1, citations: 4, brokenCitations: 2, stumbled: false });
  });

  it('counts objections and rounds of revision, also where the draft stayed the best', async () => {
    const never: Check = {
      name: 'never',
      run: () => [{ type: 'incomplete', detail: 'not good', requiredAction: 'make it good' }],
    };
    const layers = [verification({ checks: [never], verifier: false, refine: { rounds: 1 } })];
    const { facts, result } = await run([callFinal('bad'), callFinal('worse')], { layers });
    expect(result.attempt.revisions).toBe(0);
    expect(facts).toMatchObject({ verdicts: 2, objections: 2, revisions: 1, stumbled: true });
  });

  it('counts no verdict where the verifier could not be asked', async () => {
    const { facts, result } = await run([callFinal('one')], { layers: [verification({ checks: [] })] });
    expect(result.reason.code).toBe('unchecked');
    expect(facts).toMatchObject({ verdicts: 0, objections: 0, stumbled: false });
  });

  it('counts trials, and takes the same call in another trial for no repetition', async () => {
    const evaluator: Evaluator = {
      name: 'two',
      knows: 'tests',
      evaluate: async ({ answer }) => ({
        pass: answer === 'two',
        score: Number(answer === 'two'),
        feedback: 'count again',
      }),
    };
    const reflection = JSON.stringify({ diagnosis: 'only one shelf was read', plan: ['read the next shelf'] });
    const { facts, result } = await run(
      { actor: [readShelf, callFinal('one'), readShelf, callFinal('two')], reflector: [reflection] },
      { layers: [reflexion({ evaluator, trials: 2 })] },
    );
    expect(result.answer).toBe('two');
    expect(facts).toMatchObject({ trials: 2, toolCalls: 2, duplicateCalls: 0, toolErrors: 0, stumbled: true });
  });

  it('counts samples', async () => {
    const finals = [callFinal('one'), callFinal('one'), callFinal('one')];
    const { facts } = await run(finals, { layers: [selfConsistency({ samples: 3 })] });
    expect(facts.samples).toBeGreaterThan(1);
    expect(facts).toMatchObject({ trials: 0, stumbled: false });
  });

  it('counts lessons that were recalled and those that were admitted', async () => {
    const options = { layers: [lessons({ store: inMemoryLessons() }), verification({ verifier: false })] };
    const lesson = JSON.stringify({
      trigger: 'count the jars',
      failurePattern: 'A quote was written from memory instead of copied from the shelf.',
      lesson: 'Copy the quoted line from the shelf word for word before answering.',
      avoid: 'Quoting from memory.',
    });
    const [wrong, right] = [callFinal('one', [cited('Shelf 1 has')]), callFinal('one', [cited('Shelf 1 holds')])];
    const first = await run({ actor: [readShelf, wrong, right], reflector: [lesson] }, options);
    expect(first.facts).toMatchObject({ lessonsRecalled: 0, lessonsAdmitted: 1 });
    const second = await run({ actor: [readShelf, wrong, right], reflector: [lesson] }, options);
    expect(second.events).toContainEqual(expect.objectContaining({ type: 'lesson.admitted', admitted: false }));
    expect(second.facts).toMatchObject({ lessonsRecalled: 1, lessonsAdmitted: 0 });
  });

  it('counts an event once, however often replays repeat it', async () => {
    const { events, result, facts } = await run([readShelf, callTool('shelf', { n: 10 }), callFinal('one')]);
    expect(factsOf([...events, ...events], result)).toEqual(facts);
  });
});

describe('flaggedBy', () => {
  const faulty: Check = { name: 'faulty', run: () => [{ type: 'incomplete', detail: 'half', requiredAction: 'all' }] };
  const right = callFinal('one', [cited('Shelf 1 holds')]);
  it.each([
    ['passed its checks', [readShelf, right], { layers: [verification({ verifier: false })] }, 'completed', false],
    ['nobody checked', [callFinal('one')], {}, 'not-verified', false],
    ['nobody could be asked about', [callFinal('one')], { layers: [verification({ checks: [] })] }, 'unchecked', false],
    [
      'has open issues',
      [callFinal('one')],
      { layers: [verification({ checks: [faulty], verifier: false, refine: { rounds: 0 } })] },
      'open-issues',
      true,
    ],
    ['a limit cut short', [readShelf, callFinal('one')], { solver: react({ maxSteps: 1 }) }, 'steps', true],
    ['is not there', [], {}, 'model-error', true],
  ] satisfies [string, ScriptedReply[], Partial<AgentOptions>, string, boolean][])(
    'of an answer that %s',
    async (...[, script, options, code, flagged]) => {
      const { result } = await run(script, options);
      expect(result.reason.code).toBe(code);
      expect(flaggedBy(result)).toBe(flagged);
    },
  );
});
