/**
 * How a model is to be asked for its size. A small one gets short prompts, one call a turn and replies held to a schema, and is shown what
 * fits; it is the same loop. Decided once, when a run begins, and stored with it: prompts may not change under a run, whatever answers later.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Step } from '../core/step.ts';
import { type ModelSource, type ModelTraits, sourceOf } from './capability.ts';
import { type Role, roles } from './model.ts';
import { parameterCount, parametersText } from './parameter-count.ts';

/** Plain JSON: it is stored with the run. */
export interface ModelSize {
  parameters?: number;
  /** Tokens that a prompt and its reply may have together; absent where nobody knows. */
  contextTokens?: number;
  /** Small-model mode. */
  small: boolean;
  /** What decided, as a phrase. */
  why: string;
  /** Small-model mode by forced function calls instead of written actions (`ModelTraits.forcesCalls`). */
  forcesCalls?: true;
}

/** `auto` looks at the model; true and false are the user's word. */
export type SmallModel = boolean | 'auto';

type Sized = Pick<LanguageModelV4, 'provider' | 'modelId'> & ModelTraits;

/** Models with fewer parameters are small. */
const smallBelow = 8_000_000_000;

/** A context this short has no room for the full prompts and what tools return, whatever the model could make of them. */
const shortContext = 4_096;

/** What names of these mean is not the size of a model. */
const nameSaysNothing: ReadonlySet<ModelSource> = new Set(['scripted', 'replayed', 'function', 'command']);

/** Vendors' own families: a number in these names is a version. */
const ofVendors = /^(?:gpt-(?!oss|neo|j)|chatgpt|o\d|claude|gemini|grok)/i;

/**
 * The size of a model: what its adapter knows (`ModelTraits`), else what its name says. `setting` wins where it is no `auto`. A model that
 * is recorded, scripted or made of a function is small only if it says so itself.
 */
export function modelSize(model: Sized, setting: SmallModel = 'auto'): ModelSize {
  const { contextTokens, forcesCalls, textOnly } = model;
  const { parameters, source } = parametersOf(model);
  const { small, why } = decided(model, { parameters, source, setting });
  return {
    ...(parameters !== undefined && { parameters }),
    ...(contextTokens !== undefined && { contextTokens }),
    small,
    why,
    ...(small && forcesCalls && !textOnly && { forcesCalls }),
  };
}

interface Known {
  parameters: number | undefined;
  /** Where the number comes from, and what it leaves out. */
  source: string;
}

function parametersOf(model: Sized): Known {
  if (model.parameters !== undefined) return { parameters: model.parameters, source: '' };
  const name = model.modelId.slice(model.modelId.lastIndexOf('/') + 1);
  if (nameSaysNothing.has(sourceOf(model)) || ofVendors.test(name)) return { parameters: undefined, source: '' };
  const count = parameterCount(model.modelId);
  const active = count?.active === undefined ? '' : `, ${parametersText(count.active)} of them active`;
  return { parameters: count?.parameters, source: ` by its name${active}` };
}

function decided(
  { small, contextTokens }: Sized,
  { parameters, source, setting }: Known & { setting: SmallModel },
): Pick<ModelSize, 'small' | 'why'> {
  if (setting !== 'auto') return { small: setting, why: `you turned it ${setting ? 'on' : 'off'}` };
  if (small !== undefined) return { small, why: small ? 'its adapter says so' : 'its adapter says it needs none' };
  if (contextTokens !== undefined && contextTokens <= shortContext)
    return { small: true, why: `its context has ${contextTokens} tokens` };
  if (parameters === undefined) return { small: false, why: 'nothing says that it is small' };
  return { small: parameters < smallBelow, why: `${parametersText(parameters)} parameters${source}` };
}

/** The sizes that a run is stored with: by role, the actor's for a role without one. */
export type StoredSizes = Partial<Record<Role, ModelSize>>;

/** Stored where other processes execute the run: the first of them records the sizes of its own models. */
export const sizedByWorker = 'by-worker';

/**
 * The sizes of an agent's models. Undefined where they change nothing, so that such a run is stored as ever. A role's fallbacks are asked
 * like its first model: the prompt is one and append-only.
 */
export function sizesOf(models: { of(role: Role): LanguageModelV4 }, setting?: SmallModel): StoredSizes | undefined {
  const actor = models.of('actor');
  const sizes: StoredSizes = { actor: modelSize(actor, setting) };
  for (const role of roles) {
    const model = models.of(role);
    if (model !== actor) sizes[role] = modelSize(model, setting);
  }
  const telling = Object.values(sizes).some(({ small, contextTokens }) => small || contextTokens !== undefined);
  return telling ? sizes : undefined;
}

/** The sizes a run began with. Whoever started it for workers did not have their models, so the first of them writes its own down. */
export async function sizesOfRun(
  stored: StoredSizes | typeof sizedByWorker | undefined,
  own: () => StoredSizes | undefined,
  step: Step,
): Promise<StoredSizes | undefined> {
  return stored === sizedByWorker ? step('model.sizes', () => own() ?? {}) : stored;
}

/** The size of the model of a role, from what is stored. */
export function sizeIn(sizes: StoredSizes | undefined, role: Role): ModelSize | undefined {
  return sizes?.[role] ?? sizes?.actor;
}

/** How a model of this size is asked, in one line. */
export function describeModelSize(size: ModelSize): string {
  const { small, why, contextTokens, parameters } = size;
  const counted =
    parameters === undefined || why.includes('parameters') ? [] : [`${parametersText(parameters)} parameters`];
  const context =
    contextTokens === undefined ? 'context not known' : `context ${contextTokens.toLocaleString('en-US')} tokens`;
  return `${small ? 'small-model mode' : 'full prompts'}: ${[why, ...counted, context].join('; ')}`;
}

/** The models that are asked in small-model mode, in one line; undefined where none is. */
export function describeSizes(sizes: StoredSizes | undefined): string | undefined {
  const small = Object.entries(sizes ?? {}).filter(([, size]) => size.small);
  const told = small.map(([role, size]) => `${role === 'actor' ? '' : `${role}: `}${describeModelSize(size)}`);
  return told.length > 0 ? told.join(' | ') : undefined;
}
