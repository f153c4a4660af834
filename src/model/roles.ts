import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { UsageError } from '../core/errors.ts';
import { type AskedModel, isTextOnly } from './capability.ts';
import { delegateOf } from './delegate.ts';
import { type EmbedderChoice, type EmbeddingModel, embedderOf } from './embedding.ts';
import { modelsBehind, withFallbacks } from './fallback.ts';
import { type Role, roles } from './model.ts';
import { onlyLocalByEnvironment, requireLocal } from './only-local.ts';
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

/** A function, a command or a gateway of which the user says that nothing leaves this machine through it. */
export interface DeclaredLocal {
  model: ModelChoice;
  local: true;
}

/** One model, or several in the order in which they are asked when those before cannot serve. */
export type ModelSetting = ModelChoice | DeclaredLocal | readonly (ModelChoice | DeclaredLocal)[];

/** Models by role; a role without one has the actor's. `embedder` is for memories that have none of their own. */
export type RoleSettings = { actor: ModelSetting } & Partial<Record<Role, ModelSetting>> & {
    embedder?: EmbedderChoice;
  };

/** The first choice of each role: prompts are made for it, whoever answers them. */
export function firstChoices(settings: ModelSettings): [Role, ModelChoice][] {
  const choices = choicesOf(settings) ?? {};
  return roles.flatMap((role): [Role, ModelChoice][] => {
    const [first] = inOrder(choices[role]);
    return first === undefined ? [] : [[role, isDeclared(first) ? first.model : first]];
  });
}

/** What an agent is told of its models. */
export interface ModelSettings {
  model?: ModelSetting | RoleSettings | undefined;
  models?: RoleSettings | undefined;
  onlyLocal?: boolean | undefined;
}

/** The models of an agent by role; a role without one of its own uses the actor's. */
export interface ModelRoles {
  /** Resolves the ids; has to be awaited once before the others. */
  load(): Promise<void>;
  /** The first model of the role, with those that stand in for it (`modelsBehind`). */
  of(role: Role): LanguageModelV4;
  /** Each model that may be asked, once, the embedder among them. */
  all(): AskedModel[];
  embedder(): EmbeddingModel | undefined;
  /** No model that is elsewhere may be asked. */
  readonly onlyLocal: boolean;
}

/** What the settings say of the models; undefined where they say nothing. Throws `UsageError` where both `model` and `models` are given. */
function choicesOf({ model, models }: ModelSettings): Partial<RoleSettings> | undefined {
  if (model !== undefined && models !== undefined) {
    throw new UsageError(
      'Both `model` and `models` are given. Leave one out: `models` names them by role, `model` is one for all.',
    );
  }
  const setting = model ?? models;
  if (setting === undefined) return undefined;
  const byRole = isPerRole(setting) ? setting : { actor: setting };
  const unknown = Object.keys(byRole).find((name) => !names.includes(name));
  if (unknown === undefined && byRole.actor !== undefined) return byRole;
  const what = unknown === undefined ? "no model for the role 'actor'" : `a model for '${unknown}', which is no role`;
  throw new UsageError(
    `The settings name ${what}. The roles are ${names.join(', ')}; those without a model have the actor's.`,
  );
}

const names: readonly string[] = [...roles, 'embedder'];

/** Throws `UsageError` for settings that cannot work, some of them when they are loaded. */
export function modelRoles(settings: ModelSettings): ModelRoles {
  const choices = choicesOf(settings);
  const onlyLocal = settings.onlyLocal ?? onlyLocalByEnvironment(process.env);
  const loaded = new Map<Role, LanguageModelV4>();
  let embedder: EmbeddingModel | undefined;
  let loading: Promise<void> | undefined;
  const loadAll = async (): Promise<void> => {
    if (!choices) throw new UsageError('No model is named: give the agent a `model`, or `models` by role.');
    const loader = new Loader(onlyLocal);
    for (const role of roles) {
      const chosen = choices[role];
      if (chosen !== undefined) loaded.set(role, await loader.inOrder(chosen, role));
    }
    if (choices.embedder !== undefined) embedder = await embedderOf(choices.embedder, { onlyLocal });
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
    all: () => [...new Set([...[...loaded.values()].flatMap(modelsBehind), ...(embedder ? [embedder] : [])])],
    embedder: () => embedder,
    onlyLocal,
  };
}

/** Loads each model once, so that roles which name the same one have the same object. */
class Loader {
  readonly #onlyLocal: boolean;
  readonly #known = { declared: new Map<ModelChoice, Promise<LanguageModelV4>>(), plain: new Map() };
  readonly #heads: LanguageModelV4[] = [];

  constructor(onlyLocal: boolean) {
    this.#onlyLocal = onlyLocal;
  }

  async inOrder(setting: ModelSetting, role: Role): Promise<LanguageModelV4> {
    const models = await Promise.all(inOrder(setting).map((option) => this.#load(option, role)));
    const [first, ...others] = models;
    if (!first) throw new UsageError(`The list of models for the role '${role}' is empty. Name one at least.`);
    const toolless = others.find((other) => isTextOnly(other) && !isTextOnly(first));
    if (toolless) {
      throw new UsageError(
        `'${toolless.modelId}' takes no tools and '${first.modelId}' does, so it cannot stand in for it in the role '${role}'. ` +
          'Name one that takes tools, or a list of models that all take text only.',
      );
    }
    if (others.length === 0) return first;
    const same = this.#heads.find((head) => modelsBehind(head).every((model, index) => model === models[index]));
    const head = same ?? withFallbacks(first, others);
    this.#heads.push(head);
    return head;
  }

  #load(option: ModelChoice | DeclaredLocal, role: Role): Promise<LanguageModelV4> {
    const declared = isDeclared(option);
    const choice = declared ? option.model : option;
    const made = declared ? this.#known.declared : this.#known.plain;
    const known = made.get(choice) ?? this.#made(choice, declared, role);
    made.set(choice, known);
    return known;
  }

  async #made(choice: ModelChoice, declared: boolean, role: Role): Promise<LanguageModelV4> {
    const onlyLocal = this.#onlyLocal && !declared;
    const model = typeof choice === 'string' ? await resolveModel(choice, { onlyLocal }) : asLanguageModel(choice);
    if (onlyLocal) requireLocal(model, `in the role '${role}'`);
    const adapted = adaptToProvider(model);
    return declared ? delegateOf(adapted, { local: true }) : adapted;
  }
}

function inOrder(setting: ModelSetting | undefined): readonly (ModelChoice | DeclaredLocal)[] {
  if (setting === undefined) return [];
  return isList(setting) ? setting : [setting];
}

function isList(setting: ModelSetting): setting is readonly (ModelChoice | DeclaredLocal)[] {
  return Array.isArray(setting);
}

function isDeclared(option: ModelChoice | DeclaredLocal): option is DeclaredLocal {
  return typeof option === 'object' && 'model' in option && option.local === true;
}

function isPerRole(setting: ModelSetting | RoleSettings): setting is RoleSettings {
  return typeof setting === 'object' && names.some((name) => name in setting);
}
