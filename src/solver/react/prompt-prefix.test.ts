import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { functionModel } from '../../model/providers/function-model.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';
import { verification } from '../verification/verification.ts';

const note = tool({
  name: 'note',
  description: 'Reads a note.',
  input: z.object({ name: z.string() }),
  effect: 'read',
  run: ({ name }) => `the note ${name} says ${name.length}`,
});

const plan = JSON.stringify({ goal: 'g', steps: [{ id: 's1', objective: 'read', successCondition: 'read' }] });

function expectPrefixes(texts: readonly string[]): void {
  for (const [index, text] of texts.slice(1).entries()) expect(text.startsWith(texts[index] ?? '?')).toBe(true);
}

describe('the prompt is append-only within an attempt', () => {
  it('starts every request with the bytes of the one before, through plan updates, refused finals, empty turns and revisions', async () => {
    const claim = (quote: string) => [{ text: 'the note says 1', evidence: [{ observation: 'obs-1', quote }] }];
    const turns = [
      callTool('note', { name: 'a' }),
      callTool('update_plan', { id: 's1', status: 'done' }),
      '',
      { calls: [{ tool: 'final', input: { answer: '', claims: [] } }] },
      callFinal('one', claim('not in the note')),
      callTool('note', { name: 'bb' }),
      callFinal('one', claim('the note a says 1')),
    ];
    let turn = 0;
    const model = scriptedModel((_, { role }) => (role === 'planner' ? plan : (turns[turn++] ?? callFinal('over'))));
    const agent = defineAgent({ model, tools: [note], layers: [verification({ verifier: false }), planAndSolve()] });
    const result = await agent.run('read the notes');
    expect(result.status).toBe('revised');
    const requests = model.calls.filter((call) => call.tools).map((call) => JSON.stringify(call.prompt).slice(0, -1));
    expect(requests).toHaveLength(turns.length);
    expectPrefixes(requests);
    const tools = model.calls.filter((call) => call.tools).map((call) => JSON.stringify(call.tools));
    expect(new Set(tools).size).toBe(1);
  });

  it('holds for text-only models too', async () => {
    const seen: string[] = [];
    const replies = [
      '{"type":"tool","tool":"note","args":{"name":"a"}}',
      'I will answer now.',
      '{"type":"final","answer":"1","claims":[]}',
    ];
    const model = functionModel((_, user) => {
      seen.push(user);
      return replies[seen.length - 1] ?? '';
    });
    const result = await defineAgent({ model, tools: [note] }).run('read');
    expect(result.answer).toBe('1');
    expect(seen).toHaveLength(3);
    expectPrefixes(seen);
  });
});
