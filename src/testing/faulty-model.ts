/**
 * Simulated models for fault injection. They act on generated tasks whose answers are known, and everything they say is made from those
 * facts: what the checks look for is unknown to them. Figures won with them are figures of a simulation and have to say so.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider';
import type { ModelTraits } from '../model/capability.ts';
import { finishedBy, partsOf, type Reply, streamOf, usageFrom } from '../model/reply-parts.ts';
import { speak } from './faulty-model/actor.ts';
import type { Behaviour } from './faulty-model/behaviour.ts';
import { type Conversation, readConversation } from './faulty-model/conversation.ts';
import { type FaultName, faultNames } from './faulty-model/faults.ts';
import type { GeneratedTask } from './faulty-model/generated-task.ts';
import { judge } from './faulty-model/verifier.ts';

export { isOpenTo } from './faulty-model/behaviour.ts';
export { type FaultName, type FaultPlace, faultNames, faultPlaces } from './faulty-model/faults.ts';
export { flawsOf } from './faulty-model/flaws.ts';
export { generateTasks, type TaskGeneratorOptions } from './faulty-model/generate-tasks.ts';
export type {
  CodeTests,
  ConditionRule,
  Draft,
  DraftClaim,
  GeneratedTask,
  NeededCall,
  TaskKind,
  TaskLanguage,
} from './faulty-model/generated-task.ts';
export { taskKinds } from './faulty-model/generated-task.ts';
export { generatedTools } from './faulty-model/tools.ts';

export interface FaultyModelOptions {
  /** The tasks it may be given, by their input. */
  tasks: readonly GeneratedTask[];
  /** The rate of each fault, 0 to 1; together at most 1. A fault that a task has no facts for is not committed on it. Default none. */
  faults?: Partial<Record<FaultName, number>>;
  /** Equal seeds give equal behaviour, in any process. Default 1. */
  seed?: string | number;
  /** Probability that a report of a fault leads to a right answer; else the fault comes again or another one. Default 0.75. */
  repair?: number;
  /** What may take the place of a reported fault. Default: the names in `faults`. */
  relapses?: readonly FaultName[];
}

/** A fault in a reply. `reports`: how often a reply for the task had been sent back before. */
export interface CommittedFault {
  task: string;
  fault: FaultName;
  reports: number;
}

export type FaultyModel = LanguageModelV4 & ModelTraits & { readonly committed: readonly CommittedFault[] };

/**
 * A simulated planner, actor and refiner that commits faults at given rates and mends them, perhaps, when they are reported. Every reply is
 * a function of the prompt, so that runs resume. Use another model as the verifier, such as `simulatedVerifier`.
 */
export function faultyModel(options: FaultyModelOptions): FaultyModel {
  const { tasks, faults = {}, seed = 1, repair = 0.75 } = options;
  const rates = new Map(
    faultNames.flatMap((name) => [[name, faults[name] ?? 0] as const]).filter(([, rate]) => rate > 0),
  );
  const sum = [...rates.values()].reduce((total, rate) => total + rate, 0);
  if (sum > 1 + 1e-9 || !(repair >= 0 && repair <= 1))
    throw new RangeError(`faultyModel: the rates sum to ${sum} and repair is ${repair}; both must be from 0 to 1`);
  const relapses = options.relapses ?? [...rates.keys()];
  const behaviour: Behaviour = { seed: String(seed), faults: rates, repair, relapses };
  const committed: CommittedFault[] = [];
  const model = simulated('simulated-actor', tasks, (conversation) => {
    const { content, fault } = speak(conversation, behaviour);
    const { task, reports } = conversation;
    if (fault !== undefined) committed.push({ task: task.id, fault, reports });
    return content;
  });
  return { ...model, committed };
}

export interface SimulatedVerifierOptions {
  tasks: readonly GeneratedTask[];
  /** Probability that it sees what is untrue, 0 to 1. Default 0.9. */
  detects?: number;
  /** Probability that it finds fault with what is right, 0 to 1. Default 0. */
  falseAlarms?: number;
  /** Default 1. */
  seed?: string | number;
}

/** A simulated verifier of stated quality: it knows the truth of generated tasks and overlooks a stated share of what is untrue. */
export function simulatedVerifier(options: SimulatedVerifierOptions): LanguageModelV4 & ModelTraits {
  const { tasks, detects = 0.9, falseAlarms = 0, seed = 1 } = options;
  const quality = { seed: String(seed), detects, falseAlarms };
  return simulated('simulated-verifier', tasks, (conversation) => [
    { type: 'text', text: JSON.stringify(judge(conversation, quality)) },
  ]);
}

function simulated(
  modelId: string,
  tasks: readonly GeneratedTask[],
  reply: (conversation: Conversation) => LanguageModelV4Content[],
): LanguageModelV4 & ModelTraits {
  const byInput = new Map(tasks.map((task) => [task.task.input, task]));
  const answer = (options: LanguageModelV4CallOptions): Reply => {
    options.abortSignal?.throwIfAborted();
    const said = reply(readConversation(options, (input) => byInput.get(input)));
    const content = said.map((part, index) =>
      part.type === 'tool-call' ? { ...part, toolCallId: `call-${options.prompt.length}-${index}` } : part,
    );
    const calls = content.some((part) => part.type === 'tool-call');
    return { content, finishReason: finishedBy(calls ? 'tool-calls' : 'stop'), usage: usageFrom(undefined) };
  };
  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId,
    supportedUrls: {},
    source: 'scripted',
    doGenerate: async (options) => ({ ...answer(options), warnings: [] }),
    doStream: async (options) => ({ stream: streamOf(partsOf(answer(options))) }),
  };
}
