/** Where in a run an event belongs: the paths that get a span of their own, and the phases within one. */
import type { RunEvent } from '../../core/event.ts';

/** A stretch of work at one path that the path itself does not tell. */
export type Phase = 'plan' | 'verify' | 'refine';

/**
 * The paths on the way to `path` that get a span, outermost first. A parallel branch and its number are one place:
 * `trial-1/samples/0` gives `trial-1` and `trial-1/samples/0`.
 */
export function placesOf(path: string): string[] {
  const places: string[] = [];
  const segments = path === '' ? [] : path.split('/');
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next !== undefined && isBranch(next) && !isBranch(segment)) continue;
    places.push(segments.slice(0, index + 1).join('/'));
  }
  return places;
}

/** Whether work at `open` is over once there is work at `now`: all but its ancestors, itself, and what runs beside it. */
export function isLeft(open: string, now: string): boolean {
  if (open === now || now.startsWith(`${open}/`)) return false;
  const a = open.split('/');
  const b = now === '' ? [] : now.split('/');
  const fork = a.findIndex((segment, index) => segment !== b[index]);
  const [ours, theirs] = [a[fork], b[fork]];
  return ours === undefined || theirs === undefined || !(isBranch(ours) && isBranch(theirs));
}

function isBranch(segment: string): boolean {
  return /^\d+$/.test(segment);
}

/** What the last part of a place calls itself: `samples/0`, `trial-2`. */
export function nameOfPlace(place: string, outer: string): string {
  return outer === '' ? place : place.slice(outer.length + 1);
}

/** Whether the place is a part of a verification, such as `verify.answers/0`. */
export function isVerifying(name: string): boolean {
  return name.startsWith('verify');
}

/** Facts that come from inside of work or beside it: they end no phase and leave no place. */
const besides: ReadonlySet<RunEvent['type']> = new Set([
  'run.warning',
  'model.start',
  'model.delta',
  'model.retry',
  'model.fallback',
  'model.repaired',
  'tool.late',
  'budget.spent',
  'sink.failed',
]);

export function isBeside({ type }: RunEvent): boolean {
  return besides.has(type);
}

const workOfTheActor: ReadonlySet<RunEvent['type']> = new Set([
  'turn.start',
  'turn.invalid',
  'tool.call',
  'tool.result',
  'tool.refused',
  'approval.requested',
  'approval.decided',
  'plan.updated',
  'answer.drafted',
  'attempt.end',
]);

/** The phase that an event at a path belongs to, when `open` is the one it is in. */
export function phaseOf(event: RunEvent, open: Phase | undefined): Phase | undefined {
  switch (event.type) {
    case 'plan.made':
    case 'plan.failed':
      return 'plan';
    case 'verify.report':
    case 'verify.questions':
      return 'verify';
    case 'refine.made':
      return 'refine';
    case 'model.call':
      if (event.role === 'planner') return 'plan';
      if (event.role === 'verifier') return 'verify';
      if (event.role === 'refiner') return 'refine';
      return event.role === 'actor' && open === 'refine' ? 'refine' : undefined;
    default:
      return workOfTheActor.has(event.type) && open === 'refine' ? 'refine' : undefined;
  }
}

/** Whether the phase is over with this event. */
export function endsPhase({ type }: RunEvent, phase: Phase): boolean {
  switch (phase) {
    case 'plan':
      return type === 'plan.made' || type === 'plan.failed';
    case 'verify':
      return type === 'verify.report';
    case 'refine':
      return type === 'answer.drafted';
    default:
      return phase satisfies never;
  }
}
