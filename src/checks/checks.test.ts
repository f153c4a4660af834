import { describe, expect, it } from 'vitest';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import type { JsonSchema } from '../core/json.ts';
import { attemptWith } from '../testing/attempt.ts';
import { builtinChecks, check, checkByName } from './checks.ts';
import { offlineContext } from './offline.ts';
import { schema } from './schema.ts';

const task = { input: 'List two primes', constraints: [], checks: [] };
const attempt = attemptWith({
  answer: '{"primes": [2, 3]}',
});

describe('finding checks', () => {
  it('knows the built-in ones by name', () => {
    expect([...builtinChecks.keys()]).toEqual([
      ...['evidence', 'quotes', 'support', 'arithmetic', 'citedUrls'],
      ...['references', 'consistency', 'constraints', 'testLog', 'schema'],
    ]);
    for (const [name, known] of builtinChecks) expect(checkByName(name)).toBe(known);
  });

  it('prefers a check of the caller', () => {
    const own = check('quotes', () => []);
    expect(checkByName('quotes', [own])).toBe(own);
  });

  it('lists the valid names for an unknown one', () => {
    const own = check('tone', () => []);
    expect(() => checkByName('toneless', [own])).toThrow(UsageError);
    expect(() => checkByName('toneless', [own])).toThrow(/evidence, quotes, .*, schema, tone$/);
    expect(() => check('no name', () => [])).toThrow(UsageError);
  });
});

it('runs a check with I/O outside a run', async () => {
  const own = check('slow', async (_attempt, _task, { step }) => {
    const detail = await step('read', async ({ attempt: count, signal }) => `${count} ${signal.aborted}`);
    return [{ type: 'failed_check', detail, requiredAction: 'none' }];
  });
  expect(await own.run(attempt, task, offlineContext())).toMatchObject([{ detail: '1 false' }]);
});

describe('the schema check', () => {
  const outputSchema: JsonSchema = {
    type: 'object',
    properties: { primes: { type: 'array', items: { type: 'integer' }, minItems: 2 } },
    required: ['primes'],
  };

  async function issuesOf(answer: string | undefined, wanted: JsonSchema | undefined = outputSchema): Promise<Issue[]> {
    return schema.run({ ...attempt, answer }, { ...task, outputSchema: wanted }, offlineContext());
  }

  it('accepts an answer that fits', async () => {
    expect(await issuesOf(' {"primes": [2, 3]}\n')).toEqual([]);
  });

  it('lists the places that do not', async () => {
    const [issue] = await issuesOf('{"primes": [2.5, "3"]}');
    expect(issue).toMatchObject({ type: 'failed_check' });
    expect(issue?.detail).toMatch(/primes\[0\].*primes\[1\]/);
  });

  it.each(['2 and 3', '```json\n{"primes": [2, 3]}\n```', '{"primes": [2, 3],}', "{'primes': [2, 3]}", ''])(
    'rejects %j as not JSON',
    async (answer) => {
      expect(await issuesOf(answer)).toMatchObject([
        { type: 'failed_check', detail: expect.stringContaining('not JSON') },
      ]);
    },
  );

  it('calls a missing answer incomplete', async () => {
    expect(await issuesOf(undefined)).toMatchObject([{ type: 'incomplete' }]);
  });

  it('has nothing to say without a schema', async () => {
    expect(await schema.run({ ...attempt, answer: 'two and three' }, task, offlineContext())).toEqual([]);
  });
});
