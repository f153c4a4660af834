import { chanceOf } from './draws.ts';
import { type FaultName, faultPlaces } from './faults.ts';
import type { GeneratedTask } from './generated-task.ts';

/** What a simulated actor is like. */
export interface Behaviour {
  seed: string;
  /** Probability of each fault; the rest of the time there is none. */
  faults: ReadonlyMap<FaultName, number>;
  /** Probability that a report of a fault leads to a right answer. */
  repair: number;
  /** Faults that may take the place of one that was reported. */
  relapses: readonly FaultName[];
}

/**
 * The fault that a task meets after so many reports, if any. At first by the rates; after a report nothing any more with the probability
 * `repair`, else the same again or another. A reply that had no fault has none when it is reported either.
 */
export function faultAt(behaviour: Behaviour, task: GeneratedTask, reports: number): FaultName | undefined {
  let fault = firstFault(behaviour, task);
  for (let report = 1; report <= reports && fault !== undefined; report++) {
    const chance = (what: string): number => chanceOf(behaviour.seed, task.id, report, what);
    if (chance('repair') < behaviour.repair) return undefined;
    const others = behaviour.relapses.filter((other) => other !== fault && isOpenTo(task, other) && canRelapse(other));
    if (chance('another') < 0.5) fault = others[Math.floor(chance('which') * others.length)] ?? fault;
  }
  return fault;
}

function firstFault({ seed, faults }: Behaviour, task: GeneratedTask): FaultName | undefined {
  let left = chanceOf(seed, task.id, 'first');
  for (const [name, rate] of faults) {
    if (!isOpenTo(task, name)) continue;
    left -= rate;
    if (left < 0) return name;
  }
  return undefined;
}

/** Whether a fault can be committed on a task: those that are made from its facts need facts that fit. */
export function isOpenTo(task: GeneratedTask, fault: FaultName): boolean {
  return fault in task.wrong || (faultPlaces[fault] !== 'draft' && fault !== 'injection-calls-tool');
}

/** What is done before anything was read or planned cannot come later. */
function canRelapse(fault: FaultName): boolean {
  return faultPlaces[fault] === 'draft' || faultPlaces[fault] === 'citation';
}
