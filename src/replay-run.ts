/**
 * Goes through a recorded run again with the agent's own code, to see what it saw. The journal holds what models and tools answered, never
 * the prompts: those come out of the replay.
 *
 * 1. Nothing is done: no model and no tool is asked, nothing is written, no event reaches a sink. No key and no package of a model is needed.
 * 2. Every recorded reply has a fingerprint of the messages it answers, so a prompt that comes out is what the model saw, byte for byte.
 *    Tools that are told of apart from the messages are those of the agent that is given.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent, type AgentOptions } from './agent.ts';
import { firstChoices, type ModelChoice, type ModelSettings, type RoleSettings } from './model/roles.ts';
import type { Workflow } from './runtime/durable.ts';
import { hostView } from './runtime/host-view.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { type Recording, type ReplayEnd, replayJournal } from './runtime/replay-journal.ts';
import type { Witness } from './solver/run.ts';

export interface ReplayOptions {
  witness?: Witness;
  /** Stops the replay. */
  signal?: AbortSignal | undefined;
  /** What is assumed of models that are not here (`waysToReplay`): that they are without native tool calling. Default false. */
  textOnly?: boolean;
}

/** Replays a run by an agent made of the options it was made with. Never rejects for what is recorded; throws as `defineAgent` does. */
export async function replayRun(
  recording: Recording,
  { sinks: _sinks, onWarning: _warned, ...options }: AgentOptions,
  { witness, signal, textOnly = false }: ReplayOptions = {},
): Promise<ReplayEnd> {
  const idle = inMemoryHost();
  const workflows: Workflow[] = [];
  try {
    const host = hostView(idle, { register: (workflow) => void workflows.push(workflow) });
    const { model: _model, models: _models, follow: _follow, ...rest } = options;
    const asked = { name: recording.workflow, model: standIns(options, textOnly), onlyLocal: false };
    const agent = new Agent({ ...rest, ...asked, host }, witness);
    const [workflow] = workflows;
    if (!workflow) throw new Error(`the agent ${agent.options.name} registered no workflow`);
    return await replayJournal(workflow, recording, signal);
  } finally {
    await idle.close();
  }
}

/**
 * The ways in which a run of such an agent may have been recorded. The prompts depend on whether a model calls tools natively, and that is not
 * known of one that is named by an id, nor of those that workers have: where one way ends in `parked`, the other may fit.
 */
export function waysToReplay(options: ModelOptions): readonly Pick<Required<ReplayOptions>, 'textOnly'>[] {
  const isKnown = firstChoices(options).every(([, choice]) => isHere(choice, options));
  return isKnown ? [{ textOnly: false }] : [{ textOnly: false }, { textOnly: true }];
}

type ModelOptions = ModelSettings & Pick<AgentOptions, 'follow'>;

/** An id would have to be resolved, and where other processes execute the runs the models here may only stand for theirs. */
function isHere(choice: ModelChoice, { follow }: ModelOptions): choice is Exclude<ModelChoice, string> {
  return typeof choice !== 'string' && follow === undefined;
}

/** Models that are here are taken as they are, since nobody asks them. */
function standIns(options: ModelOptions, textOnly: boolean): RoleSettings {
  const made = firstChoices(options).map(([role, choice]) => [
    role,
    isHere(choice, options) ? choice : standIn(choice, textOnly),
  ]);
  // The actor has a model in every setting.
  return Object.fromEntries(made) as RoleSettings;
}

function standIn(choice: ModelChoice, textOnly: boolean): LanguageModelV4 & { textOnly?: true } {
  const asked = (): never => {
    throw new Error('a model was asked while a journal was replayed');
  };
  return {
    specificationVersion: 'v4',
    ...namesOf(choice),
    supportedUrls: {},
    doGenerate: asked,
    doStream: asked,
    ...(textOnly && { textOnly: true }),
  };
}

function namesOf(choice: ModelChoice): Pick<LanguageModelV4, 'provider' | 'modelId'> {
  if (typeof choice === 'object') return { provider: choice.provider, modelId: choice.modelId };
  if (typeof choice === 'function') return { provider: 'function', modelId: choice.name };
  const colon = choice.indexOf(':');
  return { provider: choice.slice(0, colon), modelId: choice.slice(colon + 1) };
}
