import type { LanguageModelV4Content } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../core/usage.ts';
import { readReply } from './read-reply.ts';

const tools = [{ name: 'open_lock' }, { name: 'readObservation' }, { name: 'final' }];

function read(content: LanguageModelV4Content[], textOnly = false) {
  const reply = { type: 'reply', finish: 'tool-calls', content, usage: noUsage, fingerprint: '' } as const;
  const protocol = { textual: textOnly, oneCall: false };
  return readReply(reply, { protocol, used: ['old'], turn: 1, tools });
}

/** One native call, with its arguments as the provider handed them on. */
function call(input: string | undefined, toolName = 'open_lock', toolCallId = 'new') {
  const part = { type: 'tool-call', toolCallId, toolName, input } as LanguageModelV4Content;
  const reading = read([part]);
  if (reading.type !== 'calls') throw new Error(`read as ${reading.type}`);
  const said = Array.isArray(reading.said.content) ? reading.said.content : [];
  return { raw: reading.calls[0], shown: said.find((shown) => shown.type === 'tool-call'), repairs: reading.repairs };
}

describe('the arguments of a native call', () => {
  it.each(['{"gate":2', '[1]', '"x"', '7', 'gate=2', '{"gate":1} {"gate":'])(
    'are an object in the history though the model wrote %j, and go to be judged as they are',
    (input) => {
      const { raw, shown } = call(input);
      expect(shown?.input).toEqual({ unreadable: input });
      expect(raw?.input).toBe(input);
    },
  );

  it.each([undefined, '', '  ', 'null', ' null '])('%j are none', (input) => {
    expect(call(input).shown?.input).toEqual({});
  });

  it('keep every digit in the history', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), (id) => {
        const { shown } = call(`{"id":${id},"list":[${id}]}`);
        expect(JSON.stringify(shown?.input).replaceAll('"', '')).toBe(`{id:${id},list:[${id}]}`);
      }),
    );
  });
});

describe('the name of a call', () => {
  it.each([
    ['final<|channel|>commentary', 'final'],
    ['functions.final', 'final'],
    ['Final', 'final'],
    ['read_observation', 'readObservation'],
    ['open_lock<|message|>', 'open_lock'],
    ['open-lock:0', 'open_lock'],
  ])('%s is read as %s, which the history shows too, and told', (given, meant) => {
    const { raw, shown, repairs } = call('{}', given);
    expect([raw?.tool, shown?.toolName]).toEqual([meant, meant]);
    expect(repairs).toEqual(['tool-name']);
  });

  it('is left for the judge when it is known or means nothing', () => {
    for (const name of ['final', 'sing', '']) {
      expect(call('{}', name)).toMatchObject({ raw: { tool: name }, repairs: [] });
    }
  });

  it('is the one that is meant in text, too', () => {
    const texts: [string, boolean][] = [
      ['{"type":"tool","tool":"functions.open_lock","args":{}}', true],
      ['<tool_call>{"name":"open-lock","arguments":{}}</tool_call>', false],
    ];
    for (const [text, textOnly] of texts) {
      const reading = read([{ type: 'text', text }], textOnly);
      expect(reading).toMatchObject({ type: 'calls', calls: [{ tool: 'open_lock' }] });
      expect(reading.type === 'calls' && reading.repairs).toContain('tool-name');
    }
  });
});

describe('a text that is no action', () => {
  it.each([
    'I am done. }',
    '{"tool":"open_lock"}',
    '{"type":"tool","tool":"open_lock","args":{"a":"b "c" d"}}',
    '[1, 2]',
  ])('is answered with what is wrong and the shape of an action: %j', (text) => {
    const reading = read([{ type: 'text', text }], true);
    expect(reading).toMatchObject({ type: 'invalid', empty: false });
    const feedback = reading.type === 'invalid' ? reading.feedback : '';
    expect(feedback).toContain('{"type":"tool","tool":"NAME","args":{}}');
    expect(feedback).toContain('{"type":"final"');
    // A position in a text that holds no JSON misleads.
    expect(feedback.includes('position')).toBe(text.includes('"c"'));
  });
});
