import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { parseFailures, readFailures } from './read-failures.ts';
import { triage } from './triage.ts';

const read = (...rows: unknown[]) => parseFailures(rows.map((row) => JSON.stringify(row)).join('\n'));

describe('readFailures', () => {
  it('reads a ReAct trace: calls, results, the answer of its last action', () => {
    const [run] = read({
      id: 'q1',
      trial: 2,
      question: 'Who built it?',
      gold: 'Ada',
      steps: [
        { thought: 'look', action: 'Search[the bridge]', observation: 'Built by Ada in 1912.' },
        { thought: 'done', action: 'Finish[Bob]', observation: 'Answer is INCORRECT' },
      ],
      reflections: ['Read the whole page.'],
    });
    expect(run).toMatchObject({
      runId: 'q1#2',
      task: { id: 'q1', input: 'Who built it?', expected: 'Ada' },
      lessons: [{ lesson: 'Read the whole page.' }],
      attempt: {
        answer: 'Bob',
        ended: { type: 'final' },
        observations: [{ id: 'obs-1', tool: 'Search', args: { input: 'the bridge' } }],
      },
    });
    expect(run?.attempt.observations).toHaveLength(1);
  });

  it('reads a chat with tool calls, by their ids and without', () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    });
    const [run] = read({
      id: 7,
      reward: 0,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Two prices, please.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('a', 'price', '{"of":"oak"}'), call('b', 'price', '{"of":"ash"}')],
        },
        { role: 'tool', tool_call_id: 'b', content: '12' },
        { role: 'tool', tool_call_id: 'a', content: 'Error: no oak' },
        { role: 'assistant', content: [{ type: 'text', text: 'Ash is 12.' }] },
      ],
    });
    expect(run?.task.input).toBe('Two prices, please.');
    expect(run?.attempt).toMatchObject({
      answer: 'Ash is 12.',
      observations: [
        { args: { of: 'ash' }, content: '12', status: 'ok' },
        { args: { of: 'oak' }, status: 'error' },
      ],
    });
  });

  it('reads a trace that is one text, in English and Chinese', () => {
    const trace = 'Thought: look\nAction: Search[oak]\nObservation: oak costs 5\nThought: done\nAction: Finish[6]';
    const chinese = '思考：查一下\n行动：search\n行动输入：{"query":"橡木"}\n观察：每米五元\n最终答案：六元';
    const [run, other] = read({ task: 'Price of oak?', expected: 5, trace }, { task: '橡木多少钱？', trace: chinese });
    expect(run?.attempt).toMatchObject({ answer: '6', observations: [{ tool: 'Search', content: 'oak costs 5' }] });
    expect(other?.attempt).toMatchObject({
      answer: '六元',
      observations: [{ args: { query: '橡木' }, content: '每米五元' }],
    });
  });

  it('reads a stored run of ours as it is', () => {
    const attempt = attemptWith({
      answer: 'x',
      ended: { type: 'limit', limit: 'tokens', detail: 'used up' },
      degraded: true,
    });
    const [run] = read({
      runId: 'r',
      task: { id: 't', input: 'Do it.', expected: 'y' },
      configuration: 'react',
      attempt,
      events: [],
    });
    expect(run).toMatchObject({
      runId: 'r',
      configuration: 'react',
      task: { id: 't', expected: 'y' },
      attempt: { degraded: true },
    });
  });

  it('drops events that are not in our shape, so that no rule meets them', () => {
    const attempt = attemptWith({ answer: 'x' });
    const vote = { type: 'vote.made', id: ':vote.made#1', winner: 'x', by: 'majority' };
    const events = [{ type: 'sample.end', id: ':sample.end#1' }, { type: 'unheard-of', id: 'a' }, 7, vote];
    const [run] = read({ task: { input: 'Do it.', expected: 'y' }, attempt, events });
    expect(run?.events).toMatchObject([vote]);
    expect(run && triage(run).runId).toBe(run?.runId);
  });

  it('leaves out what succeeded', () => {
    const row = { task: 'a', answer: 'b' };
    expect(
      read({ ...row, status: 'correct' }, { ...row, em: 1 }, { ...row, reward: 1 }, { ...row, pass: true }, row),
    ).toHaveLength(1);
  });

  it('does not make up how a trace without an answer ended', () => {
    const [open, halted, broke] = read(
      { task: 'a', steps: [{ action: 'Search[x]', observation: 'a page' }] },
      { task: 'a', status: 'halted', steps: [{ action: 'Search[x]', observation: 'a page' }] },
      { task: 'a', error: '429 Too Many Requests' },
    );
    expect(open?.unknownEnding).toBe(true);
    expect(open && triage(open).by).toBe('nobody');
    expect(halted && triage(halted)).toMatchObject({ layer: 'environment', rule: 'limit-without-loop' });
    expect(broke && triage(broke)).toMatchObject({ layer: 'environment', rule: 'provider-failed' });
  });

  it('names the line that cannot be read, and the remedy', () => {
    expect(() => parseFailures('{"task":"a"}\n\n{"task":', 'f.jsonl')).toThrow(/f\.jsonl, line 3: not JSON/);
    expect(() => parseFailures('{"task":"a"}\n{"answer":"b"}', 'f.jsonl')).toThrow(
      /line 2: nothing says what was asked.*question/,
    );
    expect(() => parseFailures('{"task":"a"}\n3', 'f.jsonl')).toThrow(/line 2: a failed run is a JSON object/);
    expect(() => parseFailures('{"task":"a","attempt":{"ended":{}}}', 'f.jsonl')).toThrow(/line 1: no recorded run/);
    expect(() => parseFailures(' \n', 'f.jsonl')).toThrow(/empty/);
  });

  it('takes a JSON array for a list of rows', () => {
    expect(parseFailures('\ufeff[{"task":"a"},\n {"task":"b"}]').map(({ task }) => task.input)).toEqual(['a', 'b']);
    expect(() => parseFailures('[{"task":"a"},4]', 'f.json')).toThrow(/f\.json, item 2/);
  });

  it('redacts what was pasted', () => {
    const [run] = read({ task: 'a', error: 'refused sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD' });
    expect(run?.error).toContain('[redacted:');
  });

  it('reads a file, and says why it cannot', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-'));
    await writeFile(join(folder, 'f.jsonl'), '{"task":"a"}\r\n');
    expect(await readFailures(join(folder, 'f.jsonl'))).toHaveLength(1);
    await expect(readFailures(join(folder, 'none.jsonl'))).rejects.toThrow(UsageError);
    await rm(folder, { recursive: true });
  });

  it('reads or refuses any JSON, and labels whatever it read', () => {
    const key = fc.constantFrom(
      'task',
      'question',
      'answer',
      'gold',
      'steps',
      'messages',
      'trace',
      'action',
      'observation',
      'role',
      'content',
      'tool_calls',
      'lessons',
      'attempt',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 6 }), (row) => {
        try {
          for (const run of read(row)) expect(triage(run).runId).toBe(run.runId);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
      { numRuns: 200 },
    );
  });
});
