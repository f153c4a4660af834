import type { RunEvent } from '../api/shapes.ts';

let made = 0;

/** An event for a test, which names only the fields that are read there. */
export function eventOf(path: string, body: { type: string; [field: string]: unknown }): RunEvent {
  const id = `${path}:${body.type}#${++made}`;
  // Fields that the code under test does not read are left out.
  return { id, run: 'r', path, at: made, live: true, ...body } as unknown as RunEvent;
}
