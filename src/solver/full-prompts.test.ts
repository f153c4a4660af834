import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agent.ts';
import type { ScriptedDetail } from '../model/providers/script-format.ts';
import { type ScriptedModel, type ScriptFunction, scriptedModel } from '../model/providers/script-model.ts';
import { withoutRunText } from '../model/run-text.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { calculator } from '../tools/builtin/calculator/calculator.ts';
import { tool } from '../tools/tool.ts';
import { direct } from './direct.ts';
import { planAndSolve } from './plan-and-solve/plan-and-solve.ts';
import { verification } from './verification/verification.ts';

const read = tool({
  name: 'read',
  description: 'Reads a page.',
  input: z.object({ page: z.string().describe('Its name.'), from: z.int().min(1).default(1) }),
  effect: 'read',
  run: ({ page }) => `${page} begins. ${'It goes on. '.repeat(900)}${page} ends with 7.`,
});

const claims = [{ text: 'It is 7.', evidence: [{ observation: 'obs-1', quote: 'ends with 7' }] }];
const json = JSON.stringify;

/** A scripted call as the text protocol writes it. */
function actionOf({ calls }: ScriptedDetail): string {
  const { tool: name, input } = calls?.[0] ?? { tool: 'final', input: {} };
  return json(name === 'final' ? { type: 'final', ...Object(input) } : { type: 'tool', tool: name, args: input });
}

/** The loop reads twice and answers; every other role is answered so that the answer is verified, refined once and kept. */
function speaker(textual: boolean): ScriptFunction {
  const turns = [
    callTool('read', { page: 'a' }),
    callTool('readObservation', { id: 'obs-1', from: 6000 }),
    callTool('nothing', { x: 1 }),
    callFinal('It is 7.', claims),
  ];
  let turn = 0;
  let verdicts = 0;
  return (_, { role }) => {
    switch (role) {
      case 'planner':
        return json({ goal: 'g', steps: [{ id: 's1', objective: 'read' }] });
      case 'questions':
        return json({ questions: [{ question: 'Which number?', claim: 1 }] });
      case 'answers':
        return json({ answer: '7', evidence: [{ observation: 'obs-1', quote: 'ends with 7' }] });
      case 'crosscheck':
        return json({ relation: 'consistent', why: 'the same' });
      case 'verdict': {
        const evidence = [{ source: 'task', quote: 'one number', speaks: 'against' }];
        const issue = { type: 'missed_constraint', detail: 'a sentence', requiredAction: 'write the number', evidence };
        return json({
          verdict: verdicts++ === 0 ? 'revise' : 'pass',
          issues: verdicts === 1 ? [{ ...issue, criterion: 'condition-1' }] : [],
          needsMoreTools: false,
        });
      }
      case 'refine':
        return json({ answer: 'It is 7.', claims });
      default: {
        const reply = turns[turn++] ?? callFinal('over', claims);
        return textual ? actionOf(reply) : reply;
      }
    }
  };
}

/** What a model was asked, as one hash; dates and boundaries, which differ from run to run, are left out. */
function fingerprintOf({ calls }: ScriptedModel): string {
  const requests = calls.map(({ prompt, tools, toolChoice, responseFormat }) => ({
    prompt,
    tools,
    toolChoice,
    responseFormat,
  }));
  return hash('sha256', withoutRunText(json(requests))).slice(0, 16);
}

async function fingerprint(model: ScriptedModel, options: Partial<AgentOptions>): Promise<string> {
  const agent = defineAgent({ model, tools: [calculator(), read], ...options });
  await agent.run({ input: 'Which number does page a end with?', constraints: ['one number'] });
  return `${model.calls.length} calls, ${fingerprintOf(model)}`;
}

/** Runs that are stored somewhere were made with these very prompts: another byte parks them all when they are resumed. */
describe('the prompts of a model that is not small', () => {
  const layers = [verification(), planAndSolve()];

  it('are those of stored runs where tools are called natively', async () => {
    expect(await fingerprint(scriptedModel(speaker(false)), { layers })).toBe('14 calls, 9b41707bf526ea58');
  });

  it('are those of stored runs where actions are written as text', async () => {
    const model = Object.assign(scriptedModel(speaker(true)), { textOnly: true as const });
    expect(await fingerprint(model, { layers })).toBe('14 calls, 8fb9629428f90b8f');
  });

  it('are those of stored runs that answer at once', async () => {
    const model = scriptedModel([json({ answer: '7', claims: [] })]);
    expect(await fingerprint(model, { solver: direct() })).toBe('1 calls, 9cd56db95769b6cc');
  });
});
