import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../agent.ts';
import { offlineContext } from '../../../checks/offline.ts';
import type { Attempt } from '../../../core/attempt.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { scriptedModel } from '../../../model/providers/script-model.ts';
import { callFinal, callTools } from '../../../testing/replies.ts';
import { toolSpec } from '../../../tools/tool.ts';
import { gradeAll } from '../../grader.ts';
import { bfcl } from './bfcl.ts';
import { jsonSchemaFrom } from './dialect.ts';

const area = {
  name: 'geometry.area',
  description: 'Computes an area.',
  parameters: {
    type: 'dict',
    properties: {
      shape: { type: 'string', enum: ['square', 'circle'] },
      size: { type: 'float', description: 'In metres.', optional: true },
    },
    required: ['shape', 'size'],
  },
};
const row = (id: string, expected: Json[], kind: string, meta?: Json) =>
  JSON.stringify({
    id,
    task: 'Areas?',
    expected,
    kind,
    context: { tools: [area] },
    ...(meta !== undefined && { meta }),
  });
const both = [
  { 'geometry.area': { shape: ['square'], size: [2] } },
  { 'geometry.area': { shape: ['circle'], size: [2.5] } },
];
const lines = [row('two', both, 'tool_calls', { category: 'parallel' }), row('none', [], 'no_tool_call')];

const folder = mkdtempSync(join(tmpdir(), 'bfcl-'));
writeFileSync(join(folder, 'bfcl.jsonl'), lines.join('\n'));
afterAll(() => rmSync(folder, { recursive: true }));

const { tasks: load, environment, grade } = bfcl(folder);
const tasks = await load();
const [two, none] = tasks;
const toolsOf = async () => (await environment!(two!)).tools ?? [];

/** The attempt of an agent that makes these calls, then answers. */
async function attemptOf(...calls: [name: string, args: Json][][]): Promise<Attempt> {
  const model = scriptedModel([...calls.map((turn) => callTools(...turn)), callFinal('Done.')]);
  const agent = defineAgent({ model, tools: await toolsOf() });
  return (await agent.run({ input: two!.input })).attempt;
}

async function passes(task: typeof two, attempt: Attempt): Promise<boolean> {
  const grader = [typeof grade === 'function' ? grade(task!) : grade].flat();
  return (await gradeAll(grader, { task: task!, answer: attempt.answer, attempt }, offlineContext())).pass;
}

describe('bfcl', () => {
  it('passes the calls of an agent in any order, and a dotted name survives', async () => {
    const attempt = await attemptOf([
      ['geometry.area', { shape: 'circle', size: 2.5 }],
      ['geometry.area', { shape: 'square', size: 2 }],
    ]);
    expect(attempt.observations.map(({ tool }) => tool)).toEqual(['geometry.area', 'geometry.area']);
    expect(await passes(two, attempt)).toBe(true);
    expect(await passes(none, attempt)).toBe(false);
  });

  it('counts no call that did not fit the schema and was sent back', async () => {
    const attempt = await attemptOf(
      [['geometry.area', { shape: 'oval', size: 2 }]],
      [
        ['geometry.area', { shape: 'square', size: 2 }],
        ['geometry.area', { shape: 'circle', size: 2.5 }],
      ],
    );
    expect(await passes(two, attempt)).toBe(true);
  });

  it('counts no call that was denied', async () => {
    const attempt = await attemptOf([
      ['geometry.area', { shape: 'square', size: 2 }],
      ['geometry.area', { shape: 'circle', size: 2.5 }],
    ]);
    const denied = attempt.observations.map((one) => ({ ...one, status: 'denied' as const }));
    expect(await passes(two, { ...attempt, observations: denied })).toBe(false);
    expect(await passes(none, { ...attempt, observations: denied })).toBe(true);
  });

  it('wants no call where none is expected', async () => {
    const attempt = await attemptOf();
    expect(await passes(none, attempt)).toBe(true);
    expect(await passes(two, attempt)).toBe(false);
  });

  it('shows the model JSON Schema, and the agent no expected value', async () => {
    const [tool] = (await toolsOf()).flat();
    expect(toolSpec(tool!).inputSchema).toMatchObject({
      type: 'object',
      properties: { shape: { enum: ['square', 'circle'] }, size: { type: 'number', description: 'In metres.' } },
    });
    expect(JSON.stringify({ ...two, expected: undefined })).not.toContain('2.5');
    expect(tasks.map(({ kind }) => kind)).toEqual(['parallel', 'no_tool_call']);
  });

  it('maps the dialect at every depth, and a parameter that is named like a keyword', () => {
    const mapped = jsonSchemaFrom({
      type: 'dict',
      properties: {
        type: { type: 'any' },
        pairs: { type: 'array', items: { type: 'tuple', items: { type: 'float' } } },
        inner: { type: 'dict', properties: { optional: { type: 'dict' } } },
      },
    });
    expect(mapped).toEqual({
      type: 'object',
      properties: {
        type: { type: 'string' },
        pairs: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        inner: { type: 'object', properties: { optional: { type: 'object' } } },
      },
    });
  });

  it.each([
    ['a row of another shape', '{"id":"x"}', /line 1 is no row of BFCL/],
    ['a line that is no JSON', `${lines[0]}\n{`, /line 2/],
    ['a call of two functions at once', row('x', [{ f: {}, g: {} }], 'tool_calls'), /line 1/],
  ])('refuses %s with the line', async (_name, text, message) => {
    const file = join(folder, 'broken.jsonl');
    writeFileSync(file, text);
    const loading = Promise.resolve(bfcl(file).tasks());
    await expect(loading).rejects.toThrow(UsageError);
    await expect(loading).rejects.toThrow(message);
  });
});
