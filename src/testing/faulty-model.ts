/**
 * Simulated models for fault injection. They act on generated tasks whose answers are known, and everything they say is made from those
 * facts: what the checks look for is unknown to them. Figures won with them are figures of a simulation and have to say so.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider';
import type { ModelTraits } from '../model/capability.ts';
import { finishedBy, partsOf, type Reply, streamOf, usageFrom } from '../model/reply-parts.ts';
import { speak } from './faulty-model/actor.ts';
import type { Behaviour, FaultRates } from './faulty-model/behaviour.ts';
import { type Conversation, readConversation } from './faulty-model/conversation.ts';
import { type FaultName, faultNames } from './faulty-model/faults.ts';
import type { GeneratedTask } from './faulty-model/generated-task.ts';
import { reflectOn } from './faulty-model/reflector.ts';
import { sampleNumbers, sampleTag } from './faulty-model/samples.ts';
import { judge } from './faulty-model/verifier.ts';

export { isOpenTo } from './faulty-model/behaviour.ts';
export { conditionFormat } from './faulty-model/condition-format.ts';
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
  faults?: FaultRates;
  /** The same for answers that are given without tools. Default: `faults`. */
  faultsWithoutTools?: FaultRates;
  /** Equal seeds give equal behaviour, in any process. Default 1. */
  seed?: string | number;
  /** Probability that a report of a fault leads to a right answer; else the fault comes again or another one. Default 0.75. */
  repair?: number;
  /** What may take the place of a reported fault. Default: the names in `faults`. */
  relapses?: readonly FaultName[];
  /**
   * An assumption: the share of tasks, 0 to 1, on which a further sample of the same prompt draws its fault anew, so that a vote can
   * outnumber it; on the others every sample meets the same fault. A sample is a call with a temperature above 0. Its number is
   * `providerOptions.assay.sample` (from 0), else how often this model was asked the prompt before. Default 0.
   */
  sampling?: number;
  /** An assumption: the probability that a plan in the prompt prevents the fault. Default none. */
  planPrevents?: FaultRates;
  /** An assumption: the probability that a lesson or reflection about this very fault, standing in the prompt, prevents it. Default none. */
  notesPrevent?: FaultRates;
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
 * a function of the prompt, and of the sample's number where samples differ, so that runs resume. Use other models as the verifier and the
 * reflector, such as `simulatedVerifier` and `simulatedReflector`.
 */
export function faultyModel(options: FaultyModelOptions): FaultyModel {
  const { tasks, seed = 1, repair = 0.75, sampling = 0, planPrevents = {}, notesPrevent = {} } = options;
  const faults = ratesOf(options.faults ?? {}, repair);
  const unaided = options.faultsWithoutTools ? ratesOf(options.faultsWithoutTools, repair) : faults;
  checkShares({ sampling, ...planPrevents, ...notesPrevent });
  const relapses = options.relapses ?? [...faults.keys()];
  const behaviour: Behaviour = {
    ...{ seed: String(seed), faults, unaided, repair, relapses },
    ...{ sampling, planPrevents, notesPrevent },
  };
  const committed: CommittedFault[] = [];
  const speaking = (conversation: Conversation): LanguageModelV4Content[] => {
    const { content, fault } = speak(conversation, behaviour);
    const { task, reports } = conversation;
    if (fault !== undefined) committed.push({ task: task.id, fault, reports });
    return content;
  };
  const model = simulated('simulated-actor', tasks, speaking, sampling > 0 ? sampleNumbers() : undefined);
  return { ...model, committed };
}

function ratesOf(faults: FaultRates, repair: number): ReadonlyMap<FaultName, number> {
  const rates = new Map(
    faultNames.flatMap((name) => [[name, faults[name] ?? 0] as const]).filter(([, rate]) => rate > 0),
  );
  const sum = [...rates.values()].reduce((total, rate) => total + rate, 0);
  if (sum > 1 + 1e-9 || !(repair >= 0 && repair <= 1))
    throw new RangeError(`faultyModel: the rates sum to ${sum} and repair is ${repair}; both must be from 0 to 1`);
  return rates;
}

function checkShares(shares: Record<string, number>): void {
  const [odd] = Object.entries(shares).filter(([, share]) => !(share >= 0 && share <= 1));
  if (odd) throw new RangeError(`faultyModel: ${odd[0]} is ${odd[1]}; it must be from 0 to 1`);
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

export interface SimulatedReflectorOptions {
  tasks: readonly GeneratedTask[];
  /** Probability that it sees what kind of fault the issues speak of, 0 to 1. Default 0.9. */
  diagnoses?: number;
  /** Default 1. */
  seed?: string | number;
}

/**
 * A simulated reflector of stated quality, for the role `reflector`: it tells the kind of fault from what was found fault with, knows no
 * answer, and gives general advice on that kind, in the language of the task.
 */
export function simulatedReflector(options: SimulatedReflectorOptions): LanguageModelV4 & ModelTraits {
  const { tasks, diagnoses = 0.9, seed = 1 } = options;
  const quality = { seed: String(seed), diagnoses };
  return simulated('simulated-reflector', tasks, (conversation) => [
    { type: 'text', text: JSON.stringify(reflectOn(conversation, quality)) },
  ]);
}

function simulated(
  modelId: string,
  tasks: readonly GeneratedTask[],
  reply: (conversation: Conversation) => LanguageModelV4Content[],
  numberOf: (options: LanguageModelV4CallOptions) => number | undefined = () => undefined,
): LanguageModelV4 & ModelTraits {
  const byInput = new Map(tasks.map((task) => [task.task.input, task]));
  const answer = (options: LanguageModelV4CallOptions): Reply => {
    options.abortSignal?.throwIfAborted();
    const sample = numberOf(options);
    const said = reply(readConversation(options, (input) => byInput.get(input), sample));
    const content = said.map((part, index) =>
      part.type === 'tool-call'
        ? { ...part, toolCallId: `call-${options.prompt.length}-${index}${sampleTag(sample)}` }
        : part,
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
