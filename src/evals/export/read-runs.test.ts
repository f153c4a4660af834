import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent, type AgentOptions } from '../../agent.ts';
import type { Check } from '../../checks/check.ts';
import { UsageError } from '../../core/errors.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { sqliteHost } from '../../runtime/sqlite.ts';
import { planAndSolve } from '../../solver/plan-and-solve/plan-and-solve.ts';
import { selfConsistency } from '../../solver/self-consistency/self-consistency.ts';
import { verification } from '../../solver/verification/verification.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { sqliteEvents } from '../../trace/event-store.ts';
import type { ExportRun } from './export-run.ts';
import { type ReadOptions, readExportRuns } from './read-runs.ts';
import { verdict } from './sample-run.ts';
import { sftExamples } from './sft.ts';
import { OpenAiChat, TrlChat } from './shapes.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'export-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

let lookedUp = 0;
const stock = tool({
  name: 'stock',
  description: 'Looks up how many of a part are in stock.',
  input: z.object({ part: z.string() }),
  effect: 'read',
  run: ({ part }) => {
    lookedUp++;
    return `${part}: 41 pieces`;
  },
});

/** The model with the prompts it was asked with. */
function overheard(
  replies: ScriptedReply[],
  textOnly = false,
): { model: AgentOptions['model']; prompts: LanguageModelV4Prompt[] } {
  const prompts: LanguageModelV4Prompt[] = [];
  const inner = scriptedModel(replies.map((reply, at) => ({ when: { turn: at + 1 }, reply })));
  const hear = <T>(call: { prompt: LanguageModelV4Prompt }, then: T): T => {
    prompts.push(call.prompt);
    return then;
  };
  const model = {
    ...inner,
    ...(textOnly && { textOnly: true as const }),
    doGenerate: (call: Parameters<typeof inner.doGenerate>[0]) => hear(call, inner.doGenerate(call)),
    doStream: (call: Parameters<typeof inner.doStream>[0]) => hear(call, inner.doStream(call)),
  };
  return { model, prompts };
}

async function record(options: AgentOptions, input = 'How many hinges are left?'): Promise<void> {
  const file = join(home, 'assay.db');
  const events = sqliteEvents({ file });
  const agent = new Agent({ ...options, host: sqliteHost({ file }), sinks: [events.sink()] });
  await agent.run({ input, constraints: ['Give the number.'] }, { runId: 'r1' });
  await agent.close();
  events.close();
}

async function read(options: ReadOptions = {}): Promise<ExportRun[]> {
  const runs: ExportRun[] = [];
  for await (const run of readExportRuns(home, options)) runs.push(run);
  return runs;
}

const cited = [{ text: '41 hinges are left', evidence: [{ observation: 'obs-1', quote: '41 pieces' }] }];
const wrongly = [{ text: '40 hinges are left', evidence: [{ observation: 'obs-1', quote: '40 pieces' }] }];

describe('a conversation', () => {
  it('is rebuilt as the model saw it, with what was sent back not to be learnt, and nothing is run again', async () => {
    const { model, prompts } = overheard([
      'I think about it.',
      callTool('stock', { part: 'hinge' }),
      callFinal('40 hinges are left.', wrongly),
      callFinal('41 hinges are left.', cited),
    ]);
    const options: AgentOptions = { model, tools: [stock], layers: [verification({ verifier: false })] };
    await record(options);
    const [asked, ran] = [prompts.length, lookedUp];
    const [run] = await read({ agentOf: () => options });
    expect([prompts.length, lookedUp]).toEqual([asked, ran]);
    const { messages, tools } = run!.conversation!;
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'system user assistant user assistant tool assistant tool assistant',
    );
    expect(messages.flatMap((message) => (message.role === 'assistant' ? [message.weight] : []))).toEqual([0, 1, 0, 1]);
    expect(tools.map(({ name }) => name)).toEqual(['stock', 'readObservation', 'final']);
    // All the model was shown is there, in order; the answer follows it.
    const shown = prompts.at(-1)!.map(({ role, content }) => [role, content]);
    expect(shown).toHaveLength(messages.length - 1);
    expect(messages[0]!.content).toBe(shown[0]![1]);
    expect(JSON.stringify(shown[1])).toContain(JSON.stringify(messages[1]!.content));
    expect(JSON.stringify(shown[5])).toContain(JSON.stringify(messages[5]!.content));
  });

  it('fits the documented shapes', async () => {
    const { model } = overheard([callTool('stock', { part: 'hinge' }), callFinal('41 hinges are left.', cited)]);
    const options: AgentOptions = { model, tools: [stock], layers: [verification({ verifier: false })] };
    await record(options);
    const [run] = await read({ agentOf: () => options });
    const answers = [{ runId: 'r1', answer: run!.answer!, verdict: verdict(true), isFinal: true, usedTools: true }];
    const group = { taskKey: 't', split: 'train' as const, runs: [{ run: run!, answers }] };
    const [openAi] = sftExamples(group, 'openai').flatMap(({ rows }) => rows);
    expect(OpenAiChat.parse(openAi)).toEqual(openAi);
    const [trl] = sftExamples(group, 'trl').flatMap(({ rows }) => rows);
    expect(TrlChat.parse(trl)).toEqual(trl);
    expect(sftExamples(group, 'trl-completion')[0]!.rows).toHaveLength(2);
  });

  it.each<[string, AgentOptions['layers']]>([
    ['a plan', [planAndSolve()]],
    ['samples', [selfConsistency({ samples: 2, stopEarly: false })]],
  ])('is rebuilt through %s', async (what, layers) => {
    const planned = JSON.stringify({ goal: 'count', steps: [{ id: 's1', objective: 'look up' }] });
    const one: ScriptedReply[] = [callTool('stock', { part: 'hinge' }), callFinal('41.', cited)];
    const rules = one.map((reply, at) => ({ when: { role: 'actor', turn: at + 1 }, reply }));
    const model = scriptedModel([{ when: { lacks: 'ROLE actor' }, reply: planned }, ...rules]);
    const options: AgentOptions = { model, tools: [stock], layers: layers ?? [] };
    await record(options);
    const [run] = await read({ agentOf: () => options });
    const said = run!.conversation!.messages.map(({ content }) => content).join('\n');
    expect(said.includes('Plan for: count')).toBe(what === 'a plan');
    expect(run!.conversation!.messages.at(-1)).toMatchObject({
      role: 'assistant',
      calls: [{ name: 'final' }],
      weight: 1,
    });
  });

  it('is rebuilt in the text protocol too', async () => {
    const action = JSON.stringify({ type: 'tool', tool: 'stock', args: { part: 'hinge' } });
    const final = JSON.stringify({ type: 'final', answer: '41.', claims: cited });
    const { model } = overheard([action, final], true);
    const options = { model, tools: [stock] };
    await record(options);
    const [run] = await read({ agentOf: () => options });
    const { messages, tools } = run!.conversation!;
    expect(tools).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
    expect(messages.flatMap((message) => (message.role === 'assistant' ? [message.weight] : []))).toEqual([1, 1]);
  });

  it.each([
    ['answer', { answer: 'Enough.', claims: [] }],
    ['claims', { answer: 'Plenty.', claims: cited }],
  ])('is not the one before a rewrite that changed the %s', async (_what, rewritten) => {
    const doubtful: Check = {
      name: 'doubtful',
      run: ({ answer, claims }) =>
        answer === 'Enough.' || claims.length > 0
          ? []
          : [{ type: 'wrong_computation', detail: 'not without a source', requiredAction: 'count again' }],
    };
    const model = scriptedModel([
      { when: { role: 'actor' }, reply: callFinal('Plenty.') },
      { reply: JSON.stringify(rewritten) },
    ]);
    const options: AgentOptions = { model, layers: [verification({ checks: [doubtful], verifier: false })] };
    await record(options);
    const [run] = await read({ agentOf: () => options });
    expect(run!.answer).toBe(rewritten.answer);
    expect(run!.conversation).toBeUndefined();
  });

  it('is not made up where the agent has changed since', async () => {
    const { model } = overheard([callTool('stock', { part: 'hinge' }), callFinal('41.', cited)]);
    await record({ model, tools: [stock] });
    const changed = lookedUp;
    const [run] = await read({ agentOf: () => ({ model, tools: [stock], layers: [planAndSolve()] }) });
    expect(run!.conversation).toBeUndefined();
    expect(run!.answer).toBe('41.');
    expect(lookedUp).toBe(changed);
  });
});

describe('a run with an observation that a human edited', () => {
  it('is marked, so that nobody learns from it', async () => {
    const { model } = overheard([callTool('stock', { part: 'hinge' }), callFinal('41.', cited)]);
    const options: AgentOptions = { model, tools: [stock] };
    await record(options);
    const agent = new Agent({ ...options, host: sqliteHost({ file: join(home, 'assay.db') }) });
    await agent.fork('r1', { at: 2, observation: { id: 'obs-1', content: '40 pieces' }, runId: 'r2' });
    await agent.close();
    const marks = (await read()).map(({ runId, edited }) => [runId, edited]);
    expect(marks).toEqual([
      ['r1', false],
      ['r2', true],
    ]);
  });
});

describe('the verdicts of a home', () => {
  it('are those of the checks, for the answer and for the draft before it', async () => {
    const { model } = overheard([
      callTool('stock', { part: 'hinge' }),
      callFinal('40 hinges are left.', wrongly),
      callFinal('41 hinges are left.', cited),
    ]);
    await record({ model, tools: [stock], layers: [verification({ verifier: false })] });
    const [run] = await read();
    expect(run).toMatchObject({
      answer: '41 hinges are left.',
      verdict: { pass: true, by: 'checks', knows: 'rules' },
      versions: [{ answer: '40 hinges are left.', verdict: { pass: false, by: 'checks', knows: 'rules' } }],
      usedTools: true,
      models: [{ source: 'unknown' }],
    });
    expect(run!.versions[0]!.verdict!.feedback).toContain('40 pieces');
  });

  it('are not there for an answer that nothing checked', async () => {
    const { model } = overheard([callFinal('Perhaps 40.')]);
    await record({ model });
    const [run] = await read({ sourceOf: () => 'provider' });
    expect(run!.verdict).toBeUndefined();
    expect(run!.models).toMatchObject([{ source: 'provider' }]);
  });

  it('are asked for where runs are', async () => {
    await expect(read()).rejects.toThrow(UsageError);
  });
});

describe('the runs of an evaluation', () => {
  const header = {
    suite: 'hinges',
    graders: [{ name: 'exact', knows: 'reference' }],
    configurations: [{ name: 'react', models: [{ role: 'actor', id: 'm', source: 'provider' }] }],
  };
  const line = {
    ...{ configuration: 'react', task: 'h1', repeat: 1, runId: 'r1', outcome: 'success' },
    ...{ grade: { pass: true, score: 1, why: '' }, versions: [[false, true]] },
  };
  const evaluation = (...lines: string[]): void => {
    writeFileSync(join(home, 'evaluation.json'), JSON.stringify(header));
    writeFileSync(join(home, 'records.jsonl'), lines.join('\n'));
  };
  beforeEach(async () => {
    const { model } = overheard([
      callTool('stock', { part: 'hinge' }),
      callFinal('40 hinges are left.', wrongly),
      callFinal('41 hinges are left.', cited),
    ]);
    await record({ model, tools: [stock], layers: [verification({ verifier: false })] });
  });

  it('have the verdicts of its graders, for versions too, and tell what they are of', async () => {
    evaluation(JSON.stringify({ ...line, outcome: 'failure' }), JSON.stringify(line), '{"torn');
    const [run, ...others] = await read();
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      taskKey: 'hinges/h1',
      suite: 'hinges',
      configuration: 'react',
      verdict: { pass: true, by: 'exact', knows: 'reference' },
      versions: [
        { answer: '40 hinges are left.', verdict: { pass: false, by: 'exact' } },
        { answer: '41 hinges are left.', verdict: { pass: true } },
      ],
      models: [{ id: 'm', source: 'provider' }],
    });
  });

  it('take no verdict from a broken run, and no version whose grade is not known', async () => {
    evaluation(JSON.stringify({ ...line, outcome: 'broken', versions: [[true, true, true]] }));
    const [run] = await read();
    expect(run!.verdict).toBeUndefined();
    expect(run!.versions).toEqual([]);
  });

  it('are told of when their records are damaged', async () => {
    evaluation('{"damaged', JSON.stringify(line));
    await expect(read()).rejects.toThrow(/records.jsonl, line 1 is damaged/);
  });
});
