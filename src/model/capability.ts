import type { LanguageModelV4 } from '@ai-sdk/provider';

/** A model without native tool calling: it is told of tools in text and answers in the text protocol. */
export interface TextOnly {
  readonly textOnly: true;
}

export const modelSources = ['scripted', 'replayed', 'function', 'command', 'local', 'provider'] as const;

/** What stands behind a model, so that every output can say which it was. `local` is a model file that runs in this process or a child. */
export type ModelSource = (typeof modelSources)[number];

/** What the specification has no field for. An adapter puts these beside the specification's own properties. */
export interface ModelTraits {
  readonly textOnly?: true;
  readonly source?: ModelSource;
  /** Tokens that a prompt and its reply may have together, where the adapter knows. */
  readonly contextTokens?: number;
  /** How many parameters it has, all of them, where the adapter knows; else its name may say so. */
  readonly parameters?: number;
  /** Whether it is to be asked in small-model mode, whatever its parameters and its context say (`modelSize`). */
  readonly small?: boolean;
  /** Nothing of a prompt leaves this machine. Whoever made the model says so; a gateway on loopback is taken at its word. */
  readonly local?: boolean;
  /** With `toolChoice` `required` or `tool` its reply is held to one call that fits the tool's schema, while it is written. */
  readonly forcesCalls?: true;
}

/** A model object of any specification version that may carry traits. */
type Traited = Pick<LanguageModelV4, 'provider'> & ModelTraits;

/** Enough of a model to tell which it is and where it answers. */
export type AskedModel = Pick<LanguageModelV4, 'provider' | 'modelId'> & ModelTraits;

/** True when tools have to be described to the model in text. Any model object may carry `textOnly: true`. */
export function isTextOnly(model: Traited): boolean {
  return model.textOnly === true;
}

/** What answers when this model is asked; `provider` for every object that does not say otherwise. */
export function sourceOf(model: Traited): ModelSource {
  return model.source ?? 'provider';
}

/** Whether a language model answers. The others stand in for one, or are programs of somebody's. */
export function isLanguageModel(source: string): boolean {
  return source === 'provider' || source === 'local';
}

/** Whether nothing of a prompt leaves this machine when the model is asked. */
export function isLocal(model: Traited): boolean {
  return model.local ?? alwaysLocal.has(sourceOf(model));
}

/** Of these no part runs elsewhere. A function or a command may do anything, and has to say that it stays here. */
const alwaysLocal: ReadonlySet<ModelSource> = new Set(['scripted', 'replayed', 'local']);

/** Whether another model of the same name is the same model. Functions and scripts may share a name and nothing else. */
export function isKnownByName(model: Traited): boolean {
  return isLanguageModel(sourceOf(model)) || sourceOf(model) === 'command';
}

/** The traits of a model, for an object that wraps it. */
export function traitsOf(model: Traited): ModelTraits {
  const { contextTokens, parameters, small, forcesCalls, local } = model;
  return {
    source: sourceOf(model),
    ...(isTextOnly(model) && { textOnly: true }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(parameters !== undefined && { parameters }),
    ...(small !== undefined && { small }),
    ...(forcesCalls && { forcesCalls }),
    ...(local !== undefined && { local }),
  };
}
