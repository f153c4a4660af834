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
import { firstChoices, type ModelSettings, type RoleSettings } from './model/roles.ts';
import type { Workflow } from './runtime/durable.ts';
import { hostView } from './runtime/host-view.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { type Recording, type ReplayEnd, replayJournal } from './runtime/replay-journal.ts';
import type { Witness } from './solver/run.ts';

export interface ReplayOptions {
  witness?: Witness;
  /** Stops the replay. */
  signal?: AbortSignal | undefined;
  /** What is assumed of models that are named by id: without native tool calling. Default false. */
  textOnly?: boolean;
}

/** Replays a run by an agent made of the options it was made with. Never rejects for what is recorded; throws as `defineAgent` does. */
export async function replayRun(
  recording: Recording,
  { sinks: _sinks, follow: _follow, onWarning: _warned, ...options }: AgentOptions,
  { witness, signal, textOnly = false }: ReplayOptions = {},
): Promise<ReplayEnd> {
  const idle = inMemoryHost();
  const workflows: Workflow[] = [];
  try {
    const host = hostView(idle, { register: (workflow) => void workflows.push(workflow) });
    const { model: _model, models: _models, ...rest } = options;
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
 * The ways in which a run with such models may have been recorded. An id does not say whether its model calls tools natively, and the prompts
 * depend on it: where one way ends in `parked`, the other may fit.
 */
export function waysToReplay(options: ModelSettings): readonly Pick<Required<ReplayOptions>, 'textOnly'>[] {
  const isNamed = firstChoices(options).some(([, choice]) => typeof choice === 'string');
  return isNamed ? [{ textOnly: false }, { textOnly: true }] : [{ textOnly: false }];
}

/** Objects and functions are taken as they are, since nobody asks them; an id would be resolved. */
function standIns(options: ModelSettings, textOnly: boolean): RoleSettings {
  const made = firstChoices(options).map(([role, choice]) => [
    role,
    typeof choice === 'string' ? standIn(choice, textOnly) : choice,
  ]);
  // The actor has a model in every setting.
  return Object.fromEntries(made) as RoleSettings;
}

function standIn(id: string, textOnly: boolean): LanguageModelV4 & { textOnly?: true } {
  const asked = (): never => {
    throw new Error('a model was asked while a journal was replayed');
  };
  const colon = id.indexOf(':');
  return {
    specificationVersion: 'v4',
    provider: id.slice(0, colon),
    modelId: id.slice(colon + 1),
    supportedUrls: {},
    doGenerate: asked,
    doStream: asked,
    ...(textOnly && { textOnly: true }),
  };
}
