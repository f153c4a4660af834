import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from '../../agent.ts';
import type { Result } from '../../core/result.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import type { VerifierOptions } from './chain-of-verification.ts';
import { verification } from './verification.ts';

const json = JSON.stringify;
const pages: Record<string, string> = { well: 'The well is 30 m deep.', water: 'Its water is salt.' };
const wellClaim = [
  { text: 'the well is 30 m deep', evidence: [{ observation: 'obs-1', quote: 'The well is 30 m deep' }] },
];
const depth = { answer: '30 m.', evidence: wellClaim[0]?.evidence };
const water = (id: string) => ({ answer: 'Salt.', evidence: [{ observation: id, quote: 'Its water is salt' }] });
const issue = { type: 'incomplete', detail: 'the water', requiredAction: 'name it', criterion: 'task' };
const verdict = (source: string) =>
  json({ verdict: 'revise', issues: [{ ...issue, evidence: [{ source, quote: 'the well' }] }] });

/** A function of the prompt alone, so that it says the same in every process. */
function replyTo(role: string, prompt: string): ScriptedReply {
  const seen = (text: string) => prompt.includes(text);
  switch (role) {
    case 'questions':
      return json({ questions: [{ question: 'How deep?', claim: 1 }, { question: 'Which water?' }] });
    case 'joint':
      return json({ questions: [{ question: 'How deep?', ...depth }] });
    case 'answers':
      if (seen('Question 2'))
        return json({
          answers: [
            { question: 1, ...depth },
            { question: 2, ...water('obs-2') },
          ],
        });
      return json(seen('How deep?') ? depth : water('obs-2'));
    case 'crosscheck':
      return json({ relation: 'consistent', why: 'nothing else is said' });
    case 'verdict':
      if (seen('Draft: 30 m, salt')) return json({ verdict: 'pass', issues: [] });
      return verdict(seen('does not count as it is') ? 'task' : 'obs-9');
    case 'refine':
      return json({ answer: '30 m, salt', claims: wellClaim });
    default:
      return seen('Which water?') ? lookUp(seen('is salt')) : act(seen('30 m deep'));
  }
}

const lookUp = (known: boolean) => (known ? callFinal('done') : callTool('page', { name: 'water' }));
const act = (known: boolean) => (known ? callFinal('30 m', wellClaim) : callTool('page', { name: 'well' }));

const runId = 'run';
const seed = () => 'one seed';

function process(options: VerifierOptions, host: DurableHost, begins: () => Promise<void>): Agent {
  const page = tool({
    name: 'page',
    description: 'A page.',
    input: z.object({ name: z.string() }),
    effect: 'read',
    run: async ({ name }) => {
      await begins();
      return pages[name] ?? '';
    },
  });
  const model = scriptedModel(async ({ prompt }, { role }) => {
    await begins();
    return replyTo(role, json(prompt));
  });
  return defineAgent({ model, host, tools: [page], layers: [verification({ verifier: options })] });
}

/** Runs to the end; the process dies while the numbered closure runs. */
async function runThrough(options: VerifierOptions, death = 0) {
  const journals = new InMemoryJournals();
  let begun = 0;
  for (let life = 1; ; life++) {
    const host = inMemoryHost({ journals, seed });
    const dies = Promise.withResolvers<'dead'>();
    const begins = async (): Promise<void> => {
      if (++begun !== death) return;
      await host.close();
      dies.resolve('dead');
      return new Promise(() => {});
    };
    const agent = process(options, host, begins);
    const handle = life === 1 ? agent.run('describe the well', { runId }) : agent.resume(runId);
    const ending = await Promise.race([handle.result.catch(() => 'dead' as const), dies.promise]);
    if (ending !== 'dead') return { result: ending, host, begun };
  }
}

function comparable({ runId: _, metrics, ...rest }: Result): unknown {
  return { ...rest, metrics: { ...metrics, activeMs: 0 } };
}

describe.each<VerifierOptions>([
  { variant: 'joint' },
  { variant: 'two-step', tools: true },
  { variant: 'factored' },
  { variant: 'factor+revise', tools: true },
])('a verification with %o', (options) => {
  it('comes to the same result wherever the process dies, and when it is forked at any entry', async () => {
    const whole = await runThrough(options);
    expect(whole.result).toMatchObject({ status: 'revised', answer: '30 m, salt' });
    expect(whole.result.attempt.observations).toHaveLength(options.tools ? 2 : 1);
    for (let death = 1; death <= whole.begun; death++) {
      expect(comparable((await runThrough(options, death)).result)).toEqual(comparable(whole.result));
    }
    const entries = await Array.fromAsync(whole.host.journal(runId));
    for (let at = 0; at <= entries.length; at++) {
      await whole.host.fork(runId, `fork-${at}`, { at });
      const forked = await process(options, whole.host, async () => {}).resume(`fork-${at}`);
      expect(comparable(forked)).toEqual(comparable(whole.result));
    }
  });
});
