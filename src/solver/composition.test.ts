import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from '../agent.ts';
import type { Limits } from '../core/budget.ts';
import type { Result } from '../core/result.ts';
import { inMemoryLessons } from '../memory/in-memory-lessons.ts';
import type { LessonStore } from '../memory/memory.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../model/providers/script-model.ts';
import type { DurableHost } from '../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../runtime/in-memory.ts';
import { callFinal, callTool, callTools } from '../testing/replies.ts';
import { type Tool, tool } from '../tools/tool.ts';
import { lessons } from './lessons/lessons.ts';
import { planAndSolve } from './plan-and-solve/plan-and-solve.ts';
import type { Layer } from './solver.ts';
import { verification } from './verification/verification.ts';

/** What every process of one run shares: the store of lessons, and a hook that hears of each closure as it begins. */
interface World {
  store: LessonStore;
  begins(): Promise<void> | void;
}

const layerKinds = {
  lessons: ({ store }: World): Layer => lessons({ store }),
  verification: (): Layer => verification(),
  plan: (): Layer => planAndSolve(),
  steps: (): Layer => planAndSolve({ mode: 'each-step' }),
};
type LayerKind = keyof typeof layerKinds;

const quote = (text: string) => [{ text: 'a yard builds boats', evidence: [{ observation: 'obs-1', quote: text }] }];
const report = (verdict: string, needsMoreTools = false) =>
  JSON.stringify({
    verdict,
    needsMoreTools,
    issues:
      verdict === 'pass'
        ? []
        : [
            {
              type: 'incomplete',
              detail: 'the mast',
              requiredAction: 'name the mast',
              criterion: 'task',
              evidence: [{ source: 'task', quote: 'count the boats' }],
            },
          ],
  });

/** A function of the prompt alone, so that it says the same in every process. It drafts wrongly, loosely, and then well. */
function replyTo(role: string, prompt: string): ScriptedReply {
  const seen = (text: string) => prompt.includes(text);
  switch (role) {
    case 'planner':
      return JSON.stringify({
        goal: 'boats',
        effects: ['stamp'],
        steps: ['count', 'check'].map((id) => ({ id, objective: id })),
      });
    case 'questions':
      return JSON.stringify({ questions: [{ question: 'How many boats?', claim: 1 }, { question: 'Which mast?' }] });
    case 'answers':
      return JSON.stringify({ answer: 'seven' });
    case 'verdict':
      return seen('Draft: rewritten') ? report('pass') : report('revise', !seen('Draft: mended'));
    case 'refine':
      return JSON.stringify({ answer: 'rewritten', claims: quote('builds seven boats') });
    case 'compose':
      return JSON.stringify({ answer: 'composed', claims: quote('builds seven boats') });
    case 'reflector':
      return JSON.stringify({
        trigger: 'counting what a yard builds',
        failurePattern: 'A number was quoted from memory instead of copied from the yard book.',
        lesson: 'Copy the sentence with the number from the yard book before answering.',
        avoid: 'Quoting from memory.',
      });
    default:
      return act(seen);
  }
}

function act(seen: (text: string) => boolean): ScriptedReply {
  const revised = seen('Not accepted');
  if (!seen('builds seven boats'))
    return callTools(['yard', { book: 'boats' }], ['yard', { book: 'lost' }], ['crane', {}]);
  if (!seen('stamped')) return callTool('stamp', { text: 'counted' });
  if (revised && !seen('builds two masts')) return callTool('yard', { book: 'masts' });
  return callFinal(revised ? 'mended' : 'drafted', quote(revised ? 'builds seven boats' : 'builds nine boats'));
}

const pages: Record<string, string> = {
  boats: 'The yard builds seven boats a year.',
  masts: 'The yard builds two masts a day.',
};

function toolsOf(world: World): Tool[] {
  const yard = tool({
    name: 'yard',
    description: 'Reads a book of the yard.',
    input: z.object({ book: z.string() }),
    effect: 'read',
    run: async ({ book }) => {
      await world.begins();
      const page = pages[book];
      if (page === undefined) throw new Error('the book is lost');
      return page;
    },
  });
  const stamp = tool({
    name: 'stamp',
    description: 'Stamps a paper.',
    input: z.object({ text: z.string() }),
    effect: 'write',
    idempotent: true,
    run: async ({ text }) => {
      await world.begins();
      return `stamped ${text}`;
    },
  });
  return [yard, stamp];
}

interface Setup {
  layers: readonly LayerKind[];
  budget: Limits;
}

function process(setup: Setup, world: World, host: DurableHost): { agent: Agent; model: ScriptedModel } {
  const model = scriptedModel(async (options, { role }) => {
    await world.begins();
    return replyTo(role, JSON.stringify(options.prompt));
  });
  const agent = defineAgent({
    model,
    host,
    tools: toolsOf(world),
    layers: setup.layers.map((kind) => layerKinds[kind](world)),
    budget: setup.budget,
    policy: { write: 'allow' },
  });
  return { agent, model };
}

/** What must not depend on how often the process died. */
function comparable(result: Result): unknown {
  const { runId: _, metrics, ...rest } = result;
  return { ...rest, metrics: { ...metrics, activeMs: 0 } };
}

const runId = 'run';
const seed = () => 'one seed';

/** The steps whose model reply is recorded. */
async function recordedReplies(host: DurableHost, id: string): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key, value } of host.journal(id)) {
    if (typeof value === 'object' && value !== null && 'fingerprint' in value) keys.add(`${id}/${key}`);
  }
  return keys;
}

/** Runs to the end; the process dies while each of the numbered closures runs. */
async function runThrough(setup: Setup, deaths: readonly number[]) {
  const journals = new InMemoryJournals();
  const models: ScriptedModel[] = [];
  const store = inMemoryLessons();
  let begun = 0;
  for (;;) {
    const host = inMemoryHost({ journals, seed });
    const dies = Promise.withResolvers<'dead'>();
    const begins = async (): Promise<void> => {
      if (!deaths.includes(++begun)) return;
      await host.close();
      dies.resolve('dead');
      return new Promise(() => {});
    };
    const recorded = models.length === 0 ? new Set<string>() : await recordedReplies(host, runId);
    const { agent, model } = process(setup, { store, begins }, host);
    models.push(model);
    const handle = models.length === 1 ? agent.run('count the boats', { runId }) : agent.resume(runId);
    const ending = await Promise.race([handle.result.catch(() => 'dead' as const), dies.promise]);
    const asked = model.calls.map((call) => String(call.headers?.['idempotency-key']));
    expect(asked.filter((key) => recorded.has(key))).toEqual([]);
    for (const call of model.calls) expectOneResultPerCall(call.prompt);
    if (ending !== 'dead') return { result: ending, host, begun };
  }
}

/** Providers refuse a transcript in which a call has no result, or two. */
function expectOneResultPerCall(prompt: ScriptedModel['calls'][number]['prompt']): void {
  const calls: string[] = [];
  const results: string[] = [];
  for (const message of prompt) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') calls.push(part.toolCallId);
      if (part.type === 'tool-result') results.push(part.toolCallId);
    }
  }
  expect(results).toEqual(calls);
  expect(new Set(calls).size).toBe(calls.length);
}

function orders(kinds: readonly LayerKind[]): LayerKind[][] {
  if (kinds.length === 0) return [[]];
  return kinds.flatMap((kind) => {
    const rest = orders(kinds.filter((other) => other !== kind));
    return [...rest.map((order) => [kind, ...order]), ...rest];
  });
}

const allOrders = [
  ...new Map(
    [...orders(['lessons', 'verification', 'plan']), ...orders(['lessons', 'verification', 'steps'])].map((order) => [
      order.join(),
      order,
    ]),
  ).values(),
];
const budgets: Limits[] = [{}, { modelCalls: 9 }, { toolCalls: 2 }, { tokens: 6_000 }];
const setups = allOrders.flatMap((layers) => budgets.map((budget): Setup => ({ layers, budget })));

describe('layers in any order', () => {
  it('come to the same result however often the process dies, and ask for no recorded reply again', async () => {
    const deaths = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...setups), deaths, async (setup, at) => {
        const whole = await runThrough(setup, []);
        const interrupted = await runThrough(setup, at);
        expect(comparable(interrupted.result)).toEqual(comparable(whole.result));
      }),
      { numRuns: 120 },
    );
  });

  it.each(allOrders.filter((order) => order.length === 3))(
    'come to the same result when forked at any entry: %s, %s, %s',
    async (...layers) => {
      const setup = { layers, budget: {} };
      const { result, host } = await runThrough(setup, []);
      const entries = await Array.fromAsync(host.journal(runId));
      for (let at = 0; at <= entries.length; at++) {
        // A fork has what the lessons of its time were; the entries after it are its own to make.
        const store = inMemoryLessons();
        const { agent, model } = process(setup, { store, begins: () => {} }, host);
        const id = `fork-${at}`;
        await host.fork(runId, id, { at });
        const recorded = await recordedReplies(host, id);
        const forked = await agent.resume(id);
        if (!layers.includes('lessons')) expect(comparable(forked)).toEqual(comparable(result));
        expect(forked).toMatchObject({ status: result.status, answer: result.answer });
        expect(model.calls.filter((call) => recorded.has(String(call.headers?.['idempotency-key'])))).toEqual([]);
      }
    },
  );

  it('reach every ending that the script is made for', async () => {
    const endings = new Set<string>();
    for (const setup of setups) endings.add((await runThrough(setup, [])).result.reason.code);
    expect([...endings].sort()).toEqual(expect.arrayContaining(['modelCalls', 'not-verified', 'revised', 'toolCalls']));
  });
});
