import {
  type FaultName,
  faultyModel,
  type GeneratedTask,
  generateTasks,
  isOpenTo,
  taskKinds,
} from '../../src/testing/faulty-model.ts';
import { agentOf, type ConfigurationName } from './configurations.ts';
import { codeCheckable } from './targets.ts';
import { runTrial, type Trial } from './trial.ts';

/** What a bench works on. */
export interface Material {
  tasks: readonly GeneratedTask[];
  seed: number;
  /** Trials of each fault, and of none in each kind of task. */
  runs: number;
}

/** Code tasks start a sandbox each time. */
const mostCodeTasks = 40;
const sideBySide = 8;

/** Enough tasks for so many trials of the fault that fewest tasks are open to. */
export function materialFor(runs: number, seed: number): Material {
  const inProse = generateTasks({ seed, count: runs * 7 });
  const withCode = generateTasks({ seed, count: Math.min(runs, mostCodeTasks), kinds: ['code'] });
  return { tasks: [...inProse, ...withCode], seed, runs };
}

/** Trials of one fault, or of none, under one configuration. */
export async function trialsOf(
  fault: FaultName | undefined,
  configuration: ConfigurationName,
  { tasks, seed, runs }: Material,
): Promise<Trial[]> {
  const chosen =
    fault === undefined
      ? taskKinds.flatMap((kind) => tasks.filter((task) => task.kind === kind).slice(0, runs))
      : tasks.filter((task) => isChosen(task, fault)).slice(0, runs);
  const model = faultyModel({
    tasks: chosen,
    seed,
    faults: fault === undefined ? {} : { [fault]: 1 },
    relapses: [...codeCheckable],
  });
  const agent = agentOf(configuration, model, chosen);
  const trials: Trial[] = [];
  const waiting = chosen.values();
  const lane = async (): Promise<void> => {
    for (const task of waiting) {
      const trial = await runTrial(task, { agent, model, closed: configuration === 'direct' });
      if (fault === undefined || trial.committed > 0) trials.push(trial);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, lane));
  await agent.close();
  return trials;
}

/** Code tasks are dear, and their own fault is the only one that is another there. */
function isChosen(task: GeneratedTask, fault: FaultName): boolean {
  return isOpenTo(task, fault) && (task.kind !== 'code' || fault === 'forged-test-log');
}
