import { APICallError, type LanguageModelV4CallOptions, type LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { StateError, UsageError } from '../../core/errors.ts';
import { sourceOf } from '../capability.ts';
import { InterruptedStreamError } from '../classify-error.ts';
import { generate } from '../collect.ts';
import { parseScript, type ScriptRule, scriptedModel } from './script-model.ts';

function asks(text: string, options: { role?: string; turns?: number } = {}): LanguageModelV4CallOptions {
  const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text }] }];
  for (let turn = 0; turn < (options.turns ?? 0); turn++) {
    prompt.unshift({ role: 'assistant', content: [{ type: 'text', text: 'earlier' }] });
  }
  if (options.role) prompt.unshift({ role: 'system', content: `ROLE ${options.role}\nYou help.` });
  return { prompt };
}

async function said(model: ReturnType<typeof scriptedModel>, call: LanguageModelV4CallOptions): Promise<string> {
  const { content } = await generate(model, call, { stream: false });
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ');
}

describe('a list of replies', () => {
  it('is used in order, and must be used up', async () => {
    const model = scriptedModel(['one', { text: 'two' }]);
    expect(await said(model, asks('a'))).toBe('one');
    expect(() => model.assertDone()).toThrow(/1 of 2 replies left/);
    expect(await said(model, asks('b'))).toBe('two');
    model.assertDone();
    expect(model.calls.map(({ prompt }) => prompt)).toEqual([asks('a').prompt, asks('b').prompt]);
  });

  it('refuses one call more, and names what it asks', async () => {
    const model = scriptedModel(['only']);
    await said(model, asks('first'));
    await expect(said(model, asks('the unforeseen'))).rejects.toThrow(/1 replies.*call 2.*the unforeseen/);
    const lenient = scriptedModel(['only'], { strict: false });
    expect([await said(lenient, asks('a')), await said(lenient, asks('b'))]).toEqual(['only', 'only']);
  });
});

describe('rules', () => {
  const rules: ScriptRule[] = [
    { when: { role: 'planner' }, reply: 'plan' },
    { when: { contains: ['dog', 'cat'], lacks: 'bird' }, reply: 'pets' },
    { when: { lastContains: 'dog' }, reply: 'dog last' },
    { when: { turn: 2 }, reply: 'second' },
    { when: { role: 'judge', contains: 'x', turn: 1 }, reply: 'judged' },
  ];
  it.each([
    [asks('dog', { role: 'planner' }), 'plan'],
    [asks('dog and cat'), 'pets'],
    [asks('dog and cat and bird'), 'dog last'],
    [asks('fish', { turns: 1 }), 'second'],
    [asks('x', { role: 'judge' }), 'judged'],
  ])('gives the first that fits, again and again (%#)', async (call, expected) => {
    const model = scriptedModel(rules);
    expect([await said(model, call), await said(model, call)]).toEqual([expected, expected]);
    model.assertDone();
  });

  it('says the role and the end of a prompt that none fits', async () => {
    const call = asks(`${'long '.repeat(200)}the end`, { role: 'verifier' });
    await expect(said(scriptedModel(rules), call)).rejects.toThrow(/role "verifier", turn 1.*the end/);
    await expect(said(scriptedModel(rules), call)).rejects.toBeInstanceOf(StateError);
  });

  it('gives the same reply and call ids after a restart, and other ids later in the conversation', async () => {
    const call: ScriptRule[] = [
      {
        reply: {
          calls: [
            { tool: 'look', input: {} },
            { tool: 'look', input: {} },
          ],
        },
      },
    ];
    const ids = async (turns: number): Promise<string[]> => {
      const { content } = await generate(scriptedModel(call), asks('q', { turns }), { stream: true });
      return content.map((part) => (part.type === 'tool-call' ? part.toolCallId : ''));
    };
    expect(await ids(0)).toEqual(await ids(0));
    expect(new Set([...(await ids(0)), ...(await ids(1))]).size).toBe(4);
  });
});

describe('a reply', () => {
  it('is the same streamed and whole, and streams word by word', async () => {
    const model = scriptedModel(() => ({
      reasoning: 'because',
      text: ' The  answer is\n四十二。',
      calls: [{ tool: 'look', input: { at: [1] }, id: 'mine' }],
      usage: { inputTokens: 10, outputTokens: 3, cachedTokens: 4 },
    }));
    const deltas: string[] = [];
    const streamed = await generate(model, asks('q'), { stream: true, onDelta: (text) => deltas.push(text) });
    expect(streamed).toEqual(await generate(model, asks('q'), { stream: false }));
    expect(deltas).toEqual([' ', 'The  ', 'answer ', 'is\n', '四十二。']);
    expect(streamed.content.at(-1)).toEqual({
      type: 'tool-call',
      toolCallId: 'mine',
      toolName: 'look',
      input: '{"at":[1]}',
    });
    expect(streamed.usage.inputTokens).toMatchObject({ total: 10, cacheRead: 4, noCache: 6 });
    expect(streamed.finishReason.unified).toBe('tool-calls');
  });

  it('can be decided by code', async () => {
    const model = scriptedModel(async (_options, { role, call }) => `${role} ${call}`, { modelId: 'm', name: 'other' });
    expect([await said(model, asks('a', { role: 'actor' })), await said(model, asks('a'))]).toEqual(['actor 1', ' 2']);
    expect([model.modelId, model.provider, sourceOf(model)]).toEqual(['m', 'other', 'scripted']);
  });

  it('can be a refusal, a provider error, or cut', async () => {
    const model = scriptedModel([
      { refusal: 'I will not.' },
      { error: { status: 429, message: 'slow', retryAfter: '4' } },
      { text: 'some words here', stream: 'cut' },
      { calls: [{ tool: 'save', input: { title: 'page' } }], stream: 'cut' },
      { text: 'x', stream: 'cut' },
    ]);
    expect(await generate(model, asks('q'), { stream: true })).toMatchObject({
      content: [{ text: 'I will not.' }],
      finishReason: { unified: 'content-filter' },
    });
    const error: unknown = await generate(model, asks('q'), { stream: true }).catch((thrown: unknown) => thrown);
    expect(APICallError.isInstance(error) && [error.statusCode, error.responseHeaders]).toEqual([
      429,
      { 'retry-after': '4' },
    ]);
    let shown = '';
    const onDelta = (text: string): void => {
      shown += text;
    };
    await expect(generate(model, asks('q'), { stream: true, onDelta })).rejects.toBeInstanceOf(InterruptedStreamError);
    expect('some words here'.startsWith(shown) && shown).toMatch(/^some words/);
    await expect(generate(model, asks('q'), { stream: true })).rejects.toThrow(/save/);
    await expect(generate(model, asks('q'), { stream: false })).rejects.toBeInstanceOf(InterruptedStreamError);
  });

  it('can be slow, and an abort ends the wait', async () => {
    const model = scriptedModel(() => ({ text: 'late' }), { delayMs: 60_000 });
    const reason = new Error('enough');
    const abortSignal = AbortSignal.any([AbortSignal.timeout(10)]);
    await expect(model.doGenerate({ ...asks('q'), abortSignal })).rejects.toThrow(/timeout/);
    await expect(model.doGenerate({ ...asks('q'), abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('parseScript', () => {
  it('reads replies and rules', () => {
    expect(parseScript('{"replies":["a",{"text":"b","delayMs":5}]}', 'f')).toEqual(['a', { text: 'b', delayMs: 5 }]);
    const rules = [
      { when: { role: 'actor', contains: ['x'] }, reply: { calls: [{ tool: 't', input: null }] } },
      { reply: 'z' },
    ];
    expect(parseScript(JSON.stringify({ rules }), 'f')).toEqual(rules);
  });

  it.each([
    ['{"replies":', /demo\.json is not JSON/],
    ['[]', /\{"replies": \[…\]\} or \{"rules": \[…\]\}/],
    ['{"replies":["a"],"rules":[]}', /one list/],
    ['{"replies":[]}', /replies: /],
    ['{"replies":["a",{"txt":"b"}]}', /replies\.1: .*txt/],
    ['{"replies":["a",{"calls":[{"tool":"x"}]}]}', /replies\.1\.calls\.0\.input/],
    ['{"rules":[{"when":{"turn":0},"reply":"a"}]}', /rules\.0\.when\.turn/],
    ['{"rules":[{"when":{"says":"x"},"reply":"a"}]}', /rules\.0\.when: .*says/],
    ['{"rules":[{"when":{}}]}', /rules\.0\.reply/],
    ['{"rules":[{"reply":7}]}', /rules\.0\.reply/],
  ])('refuses %s and names the place', (text, message) => {
    expect(() => parseScript(text, 'demo.json')).toThrow(message);
    expect(() => parseScript(text, 'demo.json')).toThrow(UsageError);
  });
});
