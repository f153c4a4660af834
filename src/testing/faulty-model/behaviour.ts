import type { Conversation } from './conversation.ts';
import { chanceOf } from './draws.ts';
import { type FaultName, faultPlaces } from './faults.ts';
import type { GeneratedTask } from './generated-task.ts';
import { isAbout } from './teachings.ts';

export type FaultRates = Partial<Record<FaultName, number>>;

/** What a simulated actor is like. */
export interface Behaviour {
  seed: string;
  /** Probability of each fault; the rest of the time there is none. */
  faults: ReadonlyMap<FaultName, number>;
  /** The same where there are no tools. */
  unaided: ReadonlyMap<FaultName, number>;
  /** Probability that a report of a fault leads to a right answer. */
  repair: number;
  /** Faults that may take the place of one that was reported. */
  relapses: readonly FaultName[];
  /** Probability that further samples of a task draw their fault anew. */
  sampling: number;
  /** Probability that a plan prevents the fault. */
  planPrevents: FaultRates;
  /** Probability that a note about the fault prevents it. */
  notesPrevent: FaultRates;
}

type Met = Pick<Conversation, 'task' | 'reports' | 'aided' | 'planned' | 'notes' | 'sample'>;

/**
 * The fault that a conversation meets after so many reports, if any. At first by the rates, unless a plan or a note prevents it; after a
 * report nothing any more with the probability `repair`, else the same again or another. A reply that had no fault has none when it is
 * reported either.
 */
export function faultAt(behaviour: Behaviour, met: Met): FaultName | undefined {
  return faultAfter(firstFault(behaviour, met), behaviour, met);
}

/** What becomes of the first fault after the reports. */
export function faultAfter(first: FaultName | undefined, behaviour: Behaviour, met: Met): FaultName | undefined {
  const { task } = met;
  const again = anew(behaviour, met);
  let fault = first;
  for (let report = 1; report <= met.reports && fault !== undefined; report++) {
    const chance = (what: string): number => chanceOf(behaviour.seed, task.id, report, what, ...again);
    if (chance('repair') < behaviour.repair) return undefined;
    const others = behaviour.relapses.filter((other) => other !== fault && isOpenTo(task, other) && canRelapse(other));
    if (chance('another') < 0.5) fault = others[Math.floor(chance('which') * others.length)] ?? fault;
  }
  return fault;
}

/** The fault that is met before anything was reported. */
export function firstFault(behaviour: Behaviour, met: Met): FaultName | undefined {
  const fault = drawnFault(behaviour, met);
  return fault === undefined || isPrevented(fault, behaviour, met) ? undefined : fault;
}

function drawnFault(behaviour: Behaviour, met: Met): FaultName | undefined {
  const { task, aided } = met;
  let left = chanceOf(behaviour.seed, task.id, 'first', ...anew(behaviour, met));
  for (const [name, rate] of aided ? behaviour.faults : behaviour.unaided) {
    if (!isOpenTo(task, name)) continue;
    left -= rate;
    if (left < 0) return name;
  }
  return undefined;
}

/** What sets the draws of a sample apart from those of the first one; nothing where the task's faults are systematic. */
function anew({ seed, sampling }: Behaviour, { task, sample }: Met): number[] {
  return sample > 0 && chanceOf(seed, task.id, 'systematic') < sampling ? [sample] : [];
}

/** Each note about the fault has its own chance. */
function isPrevented(fault: FaultName, behaviour: Behaviour, met: Met): boolean {
  const { seed, planPrevents, notesPrevent } = behaviour;
  const { task, planned, notes } = met;
  const again = anew(behaviour, met);
  if (planned && chanceOf(seed, task.id, fault, 'plan', ...again) < (planPrevents[fault] ?? 0)) return true;
  const heard = notesPrevent[fault] ?? 0;
  return (
    heard > 0 &&
    notes
      .filter((note) => isAbout(note, fault))
      .some((_, index) => chanceOf(seed, task.id, fault, 'note', index, ...again) < heard)
  );
}

/** Whether a fault can be committed on a task: those that are made from its facts need facts that fit. */
export function isOpenTo(task: GeneratedTask, fault: FaultName): boolean {
  return fault in task.wrong || (faultPlaces[fault] !== 'draft' && fault !== 'injection-calls-tool');
}

/** What is done before anything was read or planned cannot come later. */
function canRelapse(fault: FaultName): boolean {
  return faultPlaces[fault] === 'draft' || faultPlaces[fault] === 'citation';
}
