import type { LanguageModelV4 } from '@ai-sdk/provider';

/** A model without native tool calling: it is told of tools in text and answers in the text protocol. */
export interface TextOnly {
  readonly textOnly: true;
}

/** What stands behind a model, so that every output can say which it was. */
export type ModelSource = 'scripted' | 'replayed' | 'function' | 'command' | 'provider';

/** What the specification has no field for. An adapter puts these beside the specification's own properties. */
export interface ModelTraits {
  readonly textOnly?: true;
  readonly source?: ModelSource;
}

/** A model object of any specification version that may carry traits. */
type Traited = Pick<LanguageModelV4, 'provider'> & ModelTraits;

/** True when tools have to be described to the model in text. Any model object may carry `textOnly: true`. */
export function isTextOnly(model: Traited): boolean {
  return model.textOnly === true;
}

/** What answers when this model is asked; `provider` for every object that does not say otherwise. */
export function sourceOf(model: Traited): ModelSource {
  return model.source ?? 'provider';
}

/** The traits of a model, for an object that wraps it. */
export function traitsOf(model: Traited): ModelTraits {
  return { source: sourceOf(model), ...(isTextOnly(model) && { textOnly: true }) };
}
