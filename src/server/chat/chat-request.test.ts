import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatError } from './chat-error.ts';
import { readChatRequest } from './chat-request.ts';

const read = (body: unknown) => readChatRequest(body, { model: 'assay', sampling: 'refuse' });
const taskOf = (body: unknown): { input: string; constraints?: string[] } => {
  const { task } = read(body);
  return typeof task === 'string' ? { input: task } : task;
};
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((said) => said.trim() !== '');
const earlier = fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: text }), { maxLength: 6 });

describe('readChatRequest', () => {
  it('keeps every turn word for word, and no turn can pass for the task', () => {
    fc.assert(
      fc.property(earlier, text, (turns, last) => {
        const { input } = taskOf({ model: 'assay', messages: [...turns, { role: 'user', content: last }] });
        expect(input.endsWith(last)).toBe(true);
        const lines = input.slice(0, input.length - last.length).split('\n');
        expect(lines.slice(1, 1 + turns.length).map((line) => JSON.parse(line))).toEqual(turns);
        expect(lines).toHaveLength(turns.length === 0 ? 1 : turns.length + 4);
      }),
    );
  });

  it('gives a request or an error in the shape of the API, whatever the body', () => {
    const message = fc.record(
      { role: fc.anything(), content: fc.anything(), tool_calls: fc.anything() },
      { requiredKeys: [] },
    );
    const body = fc.record(
      {
        model: fc.constantFrom('assay', 'gpt-5', 1),
        messages: fc.oneof(fc.anything(), fc.array(message), fc.constant([{ role: 'user', content: 'x' }])),
        n: fc.anything(),
        temperature: fc.anything(),
        tools: fc.anything(),
        response_format: fc.anything(),
        stream: fc.anything(),
        stop: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), body), (json) => {
        try {
          expect(read(json).model).toBe('assay');
        } catch (error) {
          expect(error).toBeInstanceOf(ChatError);
        }
      }),
    );
  });

  it.each([
    ['temperature', 1],
    ['top_p', 1],
    ['presence_penalty', 0],
    ['logit_bias', {}],
    ['stop', null],
    ['tools', []],
    ['tool_choice', 'none'],
    ['n', 1],
    ['modalities', ['text']],
  ])('takes %s of %j, which asks for nothing', (param, value) => {
    expect(read({ model: 'assay', messages: [{ role: 'user', content: 'x' }], [param]: value }).ignored).toEqual([]);
  });

  it('makes a constraint of each system and developer message', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'x' },
      { role: 'developer', content: 'Answer in German.' },
      { role: 'system', content: '  ' },
    ];
    expect(taskOf({ model: 'assay', messages }).constraints).toEqual(['Be brief.', 'Answer in German.']);
  });

  it('refuses an empty task, also after a conversation', () => {
    const earlierTurn = { role: 'user', content: 'x' };
    const messages = [earlierTurn, { role: 'assistant', content: 'y' }, { role: 'user', content: ' \n' }];
    expect(() => read({ model: 'assay', messages })).toThrow('empty');
  });

  it('asks for JSON where the caller does', () => {
    const base = { model: 'assay', messages: [{ role: 'user', content: 'x' }] };
    expect(read({ ...base, response_format: { type: 'json_object' } })).toMatchObject({
      json: true,
      task: { outputSchema: { type: 'object' } },
    });
    expect(read({ ...base, response_format: { type: 'text' } }).json).toBe(false);
  });
});
