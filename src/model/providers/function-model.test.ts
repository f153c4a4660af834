import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { isTextOnly, sourceOf } from '../capability.ts';
import { generate } from '../collect.ts';
import { functionModel } from './function-model.ts';

const opening: LanguageModelV4Prompt = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'How tall?' }] },
];
const longer: LanguageModelV4Prompt = [
  ...opening,
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'private' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'measure', input: { unit: 'm' } },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'measure', output: { type: 'text', value: '12 m' } }],
  },
  { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
];

/** What the function is given for a prompt. */
async function given(prompt: LanguageModelV4Prompt): Promise<{ system: string; user: string }> {
  let seen = { system: '', user: '' };
  const model = functionModel((system, user) => {
    seen = { system, user };
    return 'ok';
  });
  await model.doGenerate({ prompt });
  return seen;
}

describe('functionModel', () => {
  it('passes the system text and a first message as they are', async () => {
    expect(await given(opening)).toEqual({ system: 'Be brief.', user: 'How tall?' });
  });

  it('appends later messages with role labels, calls and results included, reasoning not', async () => {
    const { user } = await given(longer);
    expect(user).toBe(
      'How tall?\n\nAssistant:\nCall measure {"unit":"m"}\n\nTool:\nResult of measure:\n12 m\n\nUser:\nGo on.',
    );
    expect(user.startsWith((await given(longer.slice(0, 3))).user)).toBe(true);
  });

  it('answers the same streamed and whole, with unknown usage', async () => {
    const model = functionModel(async () => 'yes');
    const deltas: string[] = [];
    const streamed = await generate(model, { prompt: opening }, { stream: true, onDelta: (text) => deltas.push(text) });
    expect(streamed).toEqual(await generate(model, { prompt: opening }, { stream: false }));
    expect(deltas).toEqual(['yes']);
    expect(streamed.usage.inputTokens.total).toBeUndefined();
  });

  it('says what it is', () => {
    const model = functionModel(function echo(_system, user) {
      return user;
    });
    expect([model.modelId, sourceOf(model), isTextOnly(model)]).toEqual(['echo', 'function', true]);
    expect(functionModel(() => '', { name: 'mine' }).modelId).toBe('mine');
  });

  it('refuses what is not a string and passes errors on', async () => {
    // A caller in JavaScript may return anything.
    const wrong = functionModel((() => ({ text: 'x' })) as unknown as () => string);
    await expect(wrong.doGenerate({ prompt: opening })).rejects.toBeInstanceOf(UsageError);
    const failing = functionModel(() => {
      throw new RangeError('mine');
    });
    await expect(failing.doStream({ prompt: opening })).rejects.toThrow('mine');
  });
});
