import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { UsageError } from '../core/errors.ts';
import type { Role } from './model.ts';
import { resolveModel } from './resolve.ts';
import { asLanguageModel } from './spec-versions.ts';
import { adaptToProvider } from './wire.ts';

/** A model by id, by object of any provider-spec version, or as a plain function. */
export type ModelChoice =
  | string
  | LanguageModelV4
  | LanguageModelV3
  | LanguageModelV2
  | ((system: string, user: string) => Promise<string> | string);

/** The models of an agent by role; a role without one of its own uses the actor's. */
export interface ModelRoles {
  /** Resolves the ids; has to be awaited once before `of`. */
  load(): Promise<void>;
  of(role: Role): LanguageModelV4;
  all(): LanguageModelV4[];
}

export function modelRoles(
  choice: ModelChoice | ({ actor: ModelChoice } & Partial<Record<Role, ModelChoice>>),
): ModelRoles {
  const choices: Partial<Record<Role, ModelChoice>> = isPerRole(choice) ? choice : { actor: choice };
  const loaded = new Map<Role, LanguageModelV4>();
  let loading: Promise<void> | undefined;
  const loadAll = async (): Promise<void> => {
    for (const [role, chosen] of Object.entries(choices) as [Role, ModelChoice][]) {
      const model = typeof chosen === 'string' ? await resolveModel(chosen) : asLanguageModel(chosen);
      loaded.set(role, adaptToProvider(model));
    }
  };
  const of = (role: Role): LanguageModelV4 => {
    const model = loaded.get(role) ?? loaded.get('actor');
    if (!model) throw new UsageError('No model is loaded: give the agent a `model`.');
    return model;
  };
  return {
    load: () => {
      loading ??= loadAll();
      return loading;
    },
    of,
    all: () => [...new Set(loaded.values())],
  };
}

function isPerRole(
  choice: ModelChoice | ({ actor: ModelChoice } & Partial<Record<Role, ModelChoice>>),
): choice is { actor: ModelChoice } & Partial<Record<Role, ModelChoice>> {
  return typeof choice === 'object' && choice !== null && 'actor' in choice;
}
