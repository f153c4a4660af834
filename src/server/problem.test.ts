import { expect, test } from 'vitest';
import { StateError, UsageError } from '../core/errors.ts';
import { notFound, problemOf } from './problem.ts';

async function told(error: unknown): Promise<{ status: number; type: string | null; text: string }> {
  const response = problemOf(error).toResponse();
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

test('what a client can mend is told in its own words', async () => {
  const { status, type, text } = await told(new UsageError('the task is empty: say what to do'));
  expect([status, type]).toEqual([422, 'application/problem+json']);
  expect(JSON.parse(text)).toMatchObject({ status: 422, detail: 'the task is empty: say what to do' });
});

test('what a client cannot mend tells nothing of the inside, which is kept as the cause', async () => {
  for (const error of [
    new StateError('/var/lib/secret.db is locked'),
    new Error('boom at /src/x.ts'),
    'boom at /src/x.ts',
  ]) {
    const { status, text } = await told(error);
    expect(status).toBe(error instanceof StateError ? 409 : 500);
    expect(text).not.toMatch(/secret|boom|\.ts|stack/);
    expect(problemOf(error).cause).toBe(error);
  }
});

test("a problem is answered as it is, and what is another's has the words of what is not there", () => {
  const problem = notFound('run');
  expect(problemOf(problem)).toBe(problem);
  expect(problem.status).toBe(404);
});
