/** The agent of a server once more for each of other models, so that a run can be started with one of them or forked to it. */
import { Agent } from '../../agent.ts';
import type { Json } from '../../core/json.ts';
import { resolveModel } from '../../model/resolve.ts';
import type { Workshop } from '../build-agent.ts';
import { portableModelId, type Settings, settingsJson } from '../settings.ts';

type AgentsByName = Readonly<Record<string, Agent>>;
type SettingsByName = Readonly<Record<string, { [key: string]: Json }>>;

/** Agents on the host of the workshop, by the id of their model. They are closed with the server. Throws `UsageError` for an unknown id. */
export async function agentsOf({ agent }: Pick<Workshop, 'agent'>, ids: readonly string[]): Promise<AgentsByName> {
  const { onlyLocal, sinks = [], ...options } = agent.options;
  // The first agent closes what it shares with the others.
  const kept = sinks.map(({ name, write }, at) => ({ name, write: write.bind(sinks[at]) }));
  const made = ids.map(portableModelId).map(async (id): Promise<[string, Agent]> => {
    const model = await resolveModel(id, onlyLocal === undefined ? {} : { onlyLocal });
    return [id, new Agent({ ...options, onlyLocal, models: undefined, model, name: workflowOf(id), sinks: kept })];
  });
  return Object.fromEntries(await Promise.all(made));
}

/** What the runs of these agents are stored with, so that the command line can go on with them too. */
export function settingsOf(settings: Settings, ids: readonly string[]): SettingsByName {
  // JSON of settings is an object.
  const of = (model: string) => settingsJson({ ...settings, model, fallbacks: undefined }) as { [key: string]: Json };
  return Object.fromEntries(ids.map(portableModelId).map((id) => [id, of(id)]));
}

/** On one host the name tells the runs of agents apart. */
function workflowOf(id: string): string {
  return `assay ${id}`;
}
