import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import type { ModelTraits } from '../../model/capability.ts';
import { messageText } from '../../model/prompt-text.ts';
import {
  type ScriptedModel,
  type ScriptedReply,
  type ScriptFunction,
  scriptedModel,
} from '../../model/providers/script-model.ts';
import { callFinal, callTool, callTools } from '../../testing/replies.ts';
import { calculator } from '../../tools/builtin/calculator/calculator.ts';
import { fetchPage } from '../../tools/builtin/fetch-page.ts';
import { readDoc, searchDocs } from '../../tools/builtin/search-docs.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';
import { verification } from '../verification/verification.ts';

function lookup(run: (key: string) => string = (key) => `value of ${key}`): Tool {
  return tool({
    name: 'lookup',
    description: 'Looks a key up.',
    input: z.object({ key: z.string() }),
    effect: 'read',
    run: ({ key }) => run(key),
  });
}

const schema: ModelTraits = { small: true };
const calls: ModelTraits = { small: true, forcesCalls: true };

function smallModel(script: ScriptedReply[] | ScriptFunction, traits: ModelTraits): ScriptedModel {
  return Object.assign(scriptedModel(script), traits);
}

interface Ran {
  result: Result;
  model: ScriptedModel;
  events: RunEvent[];
}

async function runSmall(
  script: ScriptedReply[] | ScriptFunction,
  traits: ModelTraits,
  options: Partial<AgentOptions> = {},
): Promise<Ran> {
  const model = smallModel(script, traits);
  const events: RunEvent[] = [];
  const handle = defineAgent({ model, tools: [lookup()], ...options }).run('find it');
  for await (const event of handle) events.push(event);
  return { result: await handle, model, events };
}

const action = (key: string, name = 'lookup'): string =>
  JSON.stringify({ reason: 'to know', type: 'tool', tool: name, args: { key } });
const final = (answer: string): string => JSON.stringify({ type: 'final', answer, claims: [] });

/** What was said and answered before the last request, the rules left out. */
function history(model: ScriptedModel): string {
  return (model.calls.at(-1)?.prompt ?? []).slice(1).map(messageText).join('\n');
}

/** As `callModel` reserves: by UTF-8 bytes, four a token; the tools count where they are sent beside the messages. */
function tokensOf({ prompt, tools }: LanguageModelV4CallOptions): number {
  return Math.ceil((Buffer.byteLength(JSON.stringify(prompt)) + Buffer.byteLength(JSON.stringify(tools ?? ''))) / 4);
}

function usualTools(): Tool[] {
  const docs = mkdtempSync(join(tmpdir(), 'small-'));
  onTestFinished(() => rmSync(docs, { recursive: true }));
  mkdirSync(docs, { recursive: true });
  writeFileSync(join(docs, 'note.md'), 'The harbour has 17 berths.\n');
  return [calculator(), searchDocs(docs), readDoc(docs), fetchPage()];
}

describe('the whole request of a small model', () => {
  it.each([
    ['native calls', {}, 1_100, 1_400],
    ['forced calls', calls, 400, 700],
    ['actions by a schema', schema, 250, 500],
  ])('with the usual tools and %s', async (_, traits, least, most) => {
    const script = traits === schema ? [final('x')] : [callFinal('x')];
    const { model } = await runSmall(script, traits, { tools: usualTools() });
    const [first] = model.calls;
    const tokens = tokensOf(first ?? { prompt: [] });
    expect(tokens).toBeGreaterThan(least);
    expect(tokens).toBeLessThan(most);
  });

  it.each([
    ['forced calls', calls],
    ['actions by a schema', schema],
    ['plain text', { small: true, textOnly: true } as ModelTraits],
  ])('stays below 1,000 tokens in every role, from plan to verdict, with %s', async (_, traits) => {
    const claims = [{ text: '17 berths', evidence: [{ observation: 'obs-1', quote: 'The harbour has 17 berths.' }] }];
    const answers: Record<string, object> = {
      planner: { goal: 'count', steps: [{ id: 's1', objective: 'read the note' }] },
      questions: { questions: [{ question: 'How many berths?', claim: 1 }] },
      answers: { answer: '17', evidence: claims[0]?.evidence },
      crosscheck: { relation: 'consistent', why: 'the same' },
      verdict: { verdict: 'pass', issues: [], needsMoreTools: false },
    };
    const turns = [callTool('readDoc', { path: 'note.md' }), callFinal('17 berths', claims)];
    const { model, result } = await runSmall(
      (call, { role }) => (answers[role] ? answering(call, answers[role]) : acting(call, turns.shift())),
      traits,
      { tools: usualTools(), layers: [verification(), planAndSolve()] },
    );
    expect(result).toMatchObject({ status: 'completed', answer: '17 berths' });
    expect(model.calls.length).toBe(7);
    for (const call of model.calls) expect(tokensOf(call)).toBeLessThan(1_000);
  });
});

/** An answer to a question, by the call that is forced or as text. */
function answering({ toolChoice }: LanguageModelV4CallOptions, said: object): ScriptedReply {
  return toolChoice?.type === 'tool'
    ? callTool(toolChoice.toolName, JSON.parse(JSON.stringify(said)))
    : JSON.stringify(said);
}

/** A call, or the action that is written in its place. */
function acting(
  { tools }: LanguageModelV4CallOptions,
  made: ReturnType<typeof callTool> = callFinal('over'),
): ScriptedReply {
  if (tools) return made;
  const { tool: name, input } = made.calls?.[0] ?? { tool: '', input: {} };
  return JSON.stringify(
    name === 'final' ? { type: 'final', ...Object(input) } : { type: 'tool', tool: name, args: input },
  );
}

function partsOf({ content }: LanguageModelV4Message): Part[] {
  return typeof content === 'string' ? [] : [...content];
}

type Part = Exclude<LanguageModelV4Message['content'], string>[number];

describe('one action at a time', () => {
  it('is asked for by a forced call where the adapter enforces one', async () => {
    const { model, result } = await runSmall([callTool('lookup', { key: 'a' }), callFinal('a')], calls);
    expect(result.answer).toBe('a');
    expect(model.calls.map(({ toolChoice }) => toolChoice)).toEqual([{ type: 'required' }, { type: 'required' }]);
    expect(model.calls[0]?.responseFormat).toBeUndefined();
  });

  it('is held to a schema of the very tools where it is written', async () => {
    const { model, result } = await runSmall([action('a'), final('a')], schema);
    expect(result.answer).toBe('a');
    const { tools, responseFormat } = model.calls[0] ?? { prompt: [] };
    expect(tools).toBeUndefined();
    const names = responseFormat?.type === 'json' ? responseFormat.schema?.anyOf?.map(namedIn) : [];
    expect(names).toEqual(['lookup', 'readObservation', 'final']);
  });

  it('runs the first of several calls and answers each of the others, once', async () => {
    let ran = 0;
    const three = callTools(['lookup', { key: 'a' }], ['lookup', { key: 'b' }], ['final', { answer: 'guessed' }]);
    const { model, result } = await runSmall([three, callFinal('a')], calls, {
      tools: [lookup((key) => `${key}${++ran}`)],
    });
    expect(result.answer).toBe('a');
    expect(result.attempt.observations.map(({ content }) => content)).toEqual(['a1']);
    const prompt = model.calls.at(-1)?.prompt ?? [];
    const parts = prompt.flatMap(partsOf);
    const asked = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    const answered = parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
    expect(asked).toHaveLength(3);
    expect(answered).toEqual(asked);
    expect(history(model).match(/Not run: one call at a time/g)).toHaveLength(2);
  });

  it('takes the first of several written actions, and keeps that one only', async () => {
    const { model, result } = await runSmall([`${action('a')}\n${action('b')}`, final('a')], schema);
    expect(result.attempt.observations.map(({ args }) => args)).toEqual([{ key: 'a' }]);
    expect(history(model)).not.toContain('"b"');
  });

  it('keeps calls in the form it asks for, however the server gave them', async () => {
    const call = callTools(['lookup', { key: 'a' }], ['lookup', { key: 'b' }]);
    const { model, result } = await runSmall(
      [call, '<tool_call>{"name":"lookup","arguments":{"key":"c"}}</tool_call>', final('a')],
      schema,
    );
    expect(result.attempt.observations.map(({ args }) => args)).toEqual([{ key: 'a' }, { key: 'c' }]);
    const said = (model.calls.at(-1)?.prompt ?? []).filter(({ role }) => role === 'assistant').map(messageText);
    expect(said).toEqual(['a', 'c'].map((key) => JSON.stringify({ type: 'tool', tool: 'lookup', args: { key } })));
  });

  it('may come with the nulls of a strict dialect, where all actions are one object', async () => {
    const strict = { reason: null, type: 'tool', tool: 'lookup', args: { key: 'a' }, answer: null, claims: null };
    const end = { ...strict, type: 'final', tool: null, args: null, answer: 'a' };
    const { result } = await runSmall([JSON.stringify(strict), JSON.stringify(end)], schema);
    expect(result).toMatchObject({ answer: 'a', attempt: { observations: [{ tool: 'lookup', status: 'ok' }] } });
  });

  it('still pays for a last answer, which is nothing but final', async () => {
    const script = (key: string): ScriptedReply[] => [action(key), action(key), action(key), final('so far')];
    const written = await runSmall(script('a'), schema, { budget: { modelCalls: 4 } });
    expect(written.result).toMatchObject({ answer: 'so far', status: 'stopped' });
    expect(written.model.calls.at(-1)?.responseFormat).toMatchObject({ name: 'final' });
    const called = await runSmall([callTool('lookup', { key: 'a' }), callFinal('so far')], calls, {
      budget: { modelCalls: 2 },
    });
    expect(called.model.calls.at(-1)?.toolChoice).toEqual({ type: 'tool', toolName: 'final' });
  });
});

/** The tool that one alternative of the action schema is for. */
function namedIn(alternative: unknown): unknown {
  const { tool: named, type } = Object(Reflect.get(Object(alternative), 'properties'));
  return (named ?? type).const;
}

describe('faults of small models', () => {
  it('prose around an action is read through and does not stay in the conversation', async () => {
    const { model, result } = await runSmall(
      [`Sure! I will look.\n\`\`\`json\n${action('a')}\n\`\`\`\nHope it helps.`, final('a')],
      schema,
    );
    expect(result.answer).toBe('a');
    expect(history(model)).not.toMatch(/Sure|Hope/);
  });

  it('a tool by another name is found, and one that is none is refused with those that are', async () => {
    const { result, events } = await runSmall([action('a', 'Look_Up'), action('b', 'google'), final('a')], schema);
    expect(result.attempt.observations).toMatchObject([{ tool: 'lookup', args: { key: 'a' } }]);
    const refused = events.find((event) => event.type === 'tool.refused');
    expect(refused).toMatchObject({ tool: 'google', why: expect.stringContaining('available: lookup') });
  });

  it('endless repetition is cut, does not fill the context, and ends the run', async () => {
    const text = 'and again '.repeat(900);
    for (const traits of [schema, calls]) {
      const { model, result } = await runSmall(() => ({ text, finish: 'length' }), traits);
      expect(result.reason.code).toBe('too-many-faults');
      for (const call of model.calls) {
        expect(call.maxOutputTokens).toBeLessThanOrEqual(2_048);
        expect(tokensOf(call)).toBeLessThan(1_000);
      }
    }
  });

  it('the same call for ever is blocked and ends the run', async () => {
    let ran = 0;
    const tools = [lookup(() => `${++ran > 0}`)];
    const { result } = await runSmall((call) => (call.tools ? callTool('lookup', { key: 'a' }) : action('a')), schema, {
      tools,
    });
    expect(ran).toBe(2);
    expect(result.reason.code).toBe('no-progress');
  });

  it('a question that is answered by repetition does not fill the context either', async () => {
    const { model } = await runSmall(
      (_, { role }) => (role === 'planner' ? 'plan '.repeat(2_000) : final('x')),
      schema,
      { layers: [planAndSolve()] },
    );
    expect(model.calls.length).toBe(3);
    for (const call of model.calls) expect(tokensOf(call)).toBeLessThan(1_000);
  });
});

describe('small-model mode', () => {
  it('is told where the run begins, with what decided', async () => {
    const { events } = await runSmall([final('x')], { ...schema, contextTokens: 4_096 });
    expect(events.find(({ type }) => type === 'run.start')).toMatchObject({
      size: 'small-model mode: its adapter says so; context 4,096 tokens',
    });
    const large = await runSmall([callFinal('x')], {});
    expect(large.events.find(({ type }) => type === 'run.start')).not.toHaveProperty('size');
  });

  it('is a matter of each role: a small verifier beside a large actor', async () => {
    const actor = scriptedModel([callFinal('x')]);
    const verifier = smallModel(() => JSON.stringify({ questions: [{ question: 'x?' }] }), schema);
    await defineAgent({ model: { actor, verifier }, tools: [lookup()], layers: [verification()] }).run('find it');
    expect(actor.calls[0]?.tools?.[0]).toMatchObject({ inputSchema: { $schema: expect.any(String) } });
    expect(JSON.stringify(verifier.calls[0]?.prompt[0])).toContain('of this form');
  });

  it('has the last word of the user', async () => {
    const off = await runSmall([callFinal('x')], calls, { smallModel: false });
    expect(off.model.calls[0]?.toolChoice).toEqual({ type: 'auto' });
    const on = await runSmall([final('x')], {}, { smallModel: true });
    expect(on.model.calls[0]?.responseFormat).toMatchObject({ name: 'action' });
  });
});
