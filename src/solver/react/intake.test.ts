import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { Check } from '../../checks/check.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { verification } from '../verification/verification.ts';
import { intakeOf } from './intake.ts';

it('gives ids that are unique in the transcript, whatever the provider sends, and keeps those that are usable', () => {
  const id = fc.constantFrom('', ' ', 'a', 'b', 'call-1-1', 'call-1-2', 'call-2-1', 'call-2-2');
  const reply = fc.record({ turn: fc.nat(2), given: fc.array(id, { maxLength: 5 }) });
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 5 }), (replies) => {
      const used: string[] = [];
      for (const { turn, given } of replies) {
        const intake = intakeOf({ used, turn, tools: [] });
        const before = [...used];
        const chosen = given.map((one) => intake.id(one));
        const [first] = given;
        if (first !== undefined && first.trim() !== '' && !before.includes(first)) expect(chosen[0]).toBe(first);
        used.push(...chosen);
      }
      expect(new Set(used).size).toBe(used.length);
      expect(used.every((one) => one.trim() !== '')).toBe(true);
    }),
  );
});

it('gives no id again when a revision counts its turns anew', async () => {
  const blank = (tool: string, input: Record<string, string>) => ({ calls: [{ tool, input, id: '' }] });
  const good: Check = {
    name: 'good',
    run: ({ answer }) =>
      answer === 'good' ? [] : [{ type: 'incomplete', detail: 'not good', requiredAction: 'make it good' }],
  };
  const model = scriptedModel([
    blank('look', {}),
    blank('final', { answer: 'bad' }),
    blank('look', {}),
    callFinal('good'),
  ]);
  const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), effect: 'read', run: () => 'seen' });
  await defineAgent({ model, tools: [look], layers: [verification({ checks: [good], verifier: false })] }).run('x');
  const ids = (model.calls.at(-1)?.prompt ?? []).flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  );
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
});
