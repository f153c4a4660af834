/**
 * What every adapter of a model keeps to (`LanguageModelV4`), whatever answers behind it. A harness opens a model that is
 * about to play a scene; what a model cannot play, or an API cannot do, is skipped by name and with the reason.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { schemaProblems } from '../checks/json-schema.ts';
import { userMessage } from '../core/transcript.ts';
import { classifyError } from '../model/classify-error.ts';
import { type Generated, generate } from '../model/collect.ts';
import { jsonSchemaOf } from '../tools/tool.ts';

/**
 * What the model does, asked once or in order:
 * `text` says something; `tool-loop` calls the only tool, then answers; `two-calls` calls it twice in one reply;
 * `forced-call` calls the tool it is forced to; `answer` writes JSON for the schema; `cut-off` has more to say than it may;
 * `slow` does not end within seconds; `too-long` is asked with more than its context holds.
 */
export type Scene = 'text' | 'tool-loop' | 'two-calls' | 'forced-call' | 'answer' | 'cut-off' | 'slow' | 'too-long';

export interface LanguageModelHarness {
  open(scene: Scene): Promise<{ model: LanguageModelV4; close?(): Promise<void> | void }>;
  /** Why a scene is not played. */
  skips?: Partial<Record<Scene, string>>;
  /** A prompt that does not fit, for `too-long`. Default: a short one, for servers that say so of any. */
  longPrompt?: LanguageModelV4Message[];
}

const Shelf = z.object({ shelf: z.string(), row: z.int().optional() });

/** The tools of the scenes, under names that every vendor takes. */
export const sceneTools: readonly [LanguageModelV4FunctionTool, LanguageModelV4FunctionTool] = [
  { type: 'function', name: 'count_items', description: 'Counts a shelf.', inputSchema: jsonSchemaOf(Shelf) },
  { type: 'function', name: 'list_shelves', description: 'Lists shelves.', inputSchema: jsonSchemaOf(z.object({})) },
];

const Answer = z.object({ count: z.number(), unit: z.string().optional(), tags: z.array(z.string()) });

const question: LanguageModelV4Message[] = [
  { role: 'system', content: 'Be brief. Answer in JSON when you are asked to.' },
  userMessage('How many bolts are on shelf a?'),
];

/** The text of a reply. */
export function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The calls of a reply. */
export function callsOf(content: readonly LanguageModelV4Content[]): LanguageModelV4ToolCall[] {
  return content.filter((part) => part.type === 'tool-call');
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** A reply as it goes into a history: reasoning and metadata as they came. */
export function asMessage(content: readonly LanguageModelV4Content[]): LanguageModelV4Message {
  return {
    role: 'assistant',
    content: content.flatMap((part): AssistantPart[] => {
      const metadata = part.providerMetadata && { providerOptions: part.providerMetadata };
      if (part.type === 'text' || part.type === 'reasoning') return [{ type: part.type, text: part.text, ...metadata }];
      if (part.type !== 'tool-call') return [];
      const { toolCallId, toolName, input } = part;
      return [{ type: 'tool-call', toolCallId, toolName, input, ...metadata }];
    }),
  };
}

/** A result for each call. */
export function resultsFor(calls: readonly LanguageModelV4ToolCall[], value: string): LanguageModelV4Message {
  const output = { type: 'text' as const, value };
  return {
    role: 'tool',
    content: calls.map(({ toolCallId, toolName }) => ({ type: 'tool-result', toolCallId, toolName, output })),
  };
}

/** Both ways to ask; the reply is the same. */
export const ways: readonly ['plain', 'streamed'] = ['plain', 'streamed'];

/** Asks as the loop does. */
export function askBy(
  way: (typeof ways)[number],
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<Generated> {
  return generate(model, options, { stream: way === 'streamed' });
}

/** Registers the suite under the name. */
export function languageModelContract(name: string, harness: LanguageModelHarness): void {
  const close: (() => Promise<void> | void)[] = [];
  const open = async (scene: Scene): Promise<LanguageModelV4> => {
    const opened = await harness.open(scene);
    if (opened.close) close.push(opened.close);
    return opened.model;
  };
  const scene = (played: Scene, what: string, run: () => Promise<void>): void => {
    const reason = harness.skips?.[played];
    if (reason === undefined) test(what, run);
    else test.skip(`${what} (skipped: ${reason})`, run);
  };

  describe(`language model contract: ${name}`, () => {
    afterEach(async () => {
      for (const end of close.splice(0)) await end();
    });

    for (const way of ways) {
      scene('text', `${way}: a text ends well and says what it cost`, async () => {
        const reply = await askBy(way, await open('text'), { prompt: question });
        expect(textOf(reply.content).trim()).not.toBe('');
        expect(reply.finishReason.unified).toBe('stop');
        expect(Math.min(...totals(reply.usage))).toBeGreaterThan(0);
      });

      scene('tool-loop', `${way}: calls a tool with arguments that fit, and goes on with the result`, async () => {
        const model = await open('tool-loop');
        const tools = [sceneTools[0]];
        const first = await askBy(way, model, { prompt: question, tools, toolChoice: { type: 'auto' } });
        const calls = callsOf(first.content);
        expect(calls.map(({ toolName }) => toolName)).toEqual(['count_items']);
        expect(Shelf.safeParse(JSON.parse(calls[0]!.input)).error).toBeUndefined();
        expect(first.finishReason.unified).toBe('tool-calls');
        const prompt = [...question, asMessage(first.content), resultsFor(calls, '7')];
        const second = await askBy(way, model, { prompt, tools, toolChoice: { type: 'auto' } });
        expect(callsOf(second.content)).toEqual([]);
        expect(textOf(second.content).trim()).not.toBe('');
        expect(second.finishReason.unified).toBe('stop');
      });

      scene('two-calls', `${way}: two calls in one reply have ids of their own`, async () => {
        const model = await open('two-calls');
        const { content } = await askBy(way, model, { prompt: question, tools: [sceneTools[0]] });
        const calls = callsOf(content);
        expect(calls).toHaveLength(2);
        expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
        expect(calls.every(({ toolCallId }) => toolCallId.trim() !== '')).toBe(true);
      });

      scene('forced-call', `${way}: a choice that forces a call brings one`, async () => {
        for (const toolChoice of [{ type: 'required' }, { type: 'tool', toolName: 'list_shelves' }] as const) {
          const options = { prompt: question, tools: [...sceneTools], toolChoice };
          const { content } = await askBy(way, await open('forced-call'), options);
          const [call] = callsOf(content);
          expect(call?.toolName).toEqual(toolChoice.type === 'tool' ? 'list_shelves' : expect.any(String));
        }
      });

      scene('answer', `${way}: an answer fits the schema that was asked for`, async () => {
        const schema = jsonSchemaOf(Answer);
        const options = { prompt: question, responseFormat: { type: 'json' as const, name: 'count', schema } };
        const { content } = await askBy(way, await open('answer'), options);
        const answer = JSON.parse(textOf(content));
        // Strict dialects send null for what is left out.
        const given = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
        expect(schemaProblems(z.json().parse(given), z.json().parse(schema))).toEqual([]);
      });

      scene('cut-off', `${way}: a reply that reached its limit says so`, async () => {
        const { finishReason } = await askBy(way, await open('cut-off'), { prompt: question, maxOutputTokens: 4 });
        expect(finishReason.unified).toBe('length');
      });

      scene(
        'too-long',
        `${way}: a prompt beyond the context is an error that names the remedy, not a shorter prompt`,
        async () => {
          const failed = askBy(way, await open('too-long'), { prompt: harness.longPrompt ?? question });
          const failure = classifyError(await failed.catch((error: unknown) => error));
          expect(failure.retryable).toBe(false);
          expect(failure.message).toMatch(/larger context|context=/);
        },
      );

      scene('slow', `${way}: a signal ends the call at once, before it and in the middle of it`, async () => {
        const model = await open('slow');
        const reason = new Error('enough');
        const before = askBy(way, model, { prompt: question, abortSignal: AbortSignal.abort(reason) });
        await expect(before).rejects.toBe(reason);
        const stop = new AbortController();
        const asked = performance.now();
        const during = directly(way, model, { prompt: question, abortSignal: stop.signal });
        setTimeout(() => stop.abort(reason), 30);
        await expect(during).rejects.toThrow();
        expect(performance.now() - asked).toBeLessThan(1_500);
      });
    }

    scene('text', 'the parts of a stream are well formed, and add up to the reply', async () => {
      const { stream } = await (await open('text')).doStream({ prompt: question });
      const parts = await Array.fromAsync(stream);
      expect(parts[0]?.type).toBe('stream-start');
      expect(parts.at(-1)?.type).toBe('finish');
      expect(openBlocks(parts)).toEqual([]);
      const said = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
      expect(said).toBe(textOf((await (await open('text')).doGenerate({ prompt: question })).content));
    });
  });
}

/** Asks the adapter itself, so that its own handling of the signal shows. */
async function directly(
  way: (typeof ways)[number],
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<unknown> {
  if (way === 'plain') return model.doGenerate(options);
  const { stream } = await model.doStream(options);
  const parts = await Array.fromAsync(stream);
  const failed = parts.find((part) => part.type === 'error');
  if (failed) throw failed.error;
  return parts;
}

function totals({ inputTokens, outputTokens }: LanguageModelV4Usage): [number, number] {
  return [inputTokens.total ?? 0, outputTokens.total ?? 0];
}

/** The blocks that were begun twice, spoken into before they began, or never ended. */
function openBlocks(parts: readonly LanguageModelV4StreamPart[]): string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const part of parts) {
    const [, kind, step] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type) ?? [];
    if (!kind || !('id' in part)) continue;
    const block = `${kind} ${part.id}`;
    if ((step === 'start') === open.has(block)) wrong.push(`${step} of ${block}`);
    if (step === 'start') open.add(block);
    if (step === 'end') open.delete(block);
  }
  return [...wrong, ...open];
}
