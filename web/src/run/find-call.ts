import type { CallRow, RunEvent } from '../api/shapes.ts';

type CallEvent = Extract<RunEvent, { type: 'model.call' }>;

/** The row of an event's call: of several that asked the same at the same place, the one that comes at the same turn. */
export function findCall(call: CallEvent, events: readonly RunEvent[], rows: readonly CallRow[]): CallRow | undefined {
  const isSame = ({ path, step }: Pick<CallEvent, 'path' | 'step'>, fingerprint: string): boolean =>
    path === call.path && step === call.step && fingerprint === call.prompt.fingerprint;
  const before = events.filter(
    (event) => event.type === 'model.call' && event.outcome === 'reply' && isSame(event, event.prompt.fingerprint),
  );
  const place = before.findIndex(({ id }) => id === call.id);
  return rows.filter((row) => isSame(row, row.fingerprint))[Math.max(0, place)];
}
