/** The other end of `callWorker`: the main program of a worker's process. */
import { text } from 'node:stream/consumers';
import { messageOf } from '../../core/errors.ts';

/** Reads the request from standard input and writes the answer, or why there is none, to standard output. Called once by a worker. */
export async function serveWorker(answer: (request: unknown) => unknown): Promise<void> {
  // Libraries that print must not get into the answer.
  console.log = console.error;
  console.info = console.error;
  const request: unknown = JSON.parse(await text(process.stdin));
  const reply = await settled(answer, request);
  process.stdout.write(JSON.stringify(reply), () => process.exit(0));
}

async function settled(
  answer: (request: unknown) => unknown,
  request: unknown,
): Promise<{ value: unknown } | { error: string }> {
  try {
    return { value: (await answer(request)) ?? null };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
