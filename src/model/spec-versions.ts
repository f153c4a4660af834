import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { UsageError } from '../core/errors.ts';
import { traitsOf } from './capability.ts';
import { functionModel, type ModelFunction } from './providers/function-model.ts';
import { fromV2 } from './spec-v2.ts';
import { fromV3 } from './spec-v3.ts';

const accepted =
  'a model is an AI SDK language model object (specification v4, v3 or v2), or a function (system, user) => string or a promise of it';

/**
 * Whatever was configured as a model, as a V4 object. A V4 object is passed through unchanged, V3 and V2 objects are wrapped
 * and keep their `textOnly` mark, a function becomes a text-only model. Throws `UsageError` for anything else.
 */
export function asLanguageModel(value: unknown): LanguageModelV4 {
  // A function cannot be asked for its parameter types; a result that is no string is an error at the call.
  if (typeof value === 'function') return functionModel(value as ModelFunction);
  if (!isModelObject(value)) throw new UsageError(`${describe(value)} is not a model: ${accepted}`);
  switch (value.specificationVersion) {
    case 'v4':
      return value;
    case 'v3':
      return { ...fromV3(value), ...traitsOf(value) };
    case 'v2':
      return { ...fromV2(value), ...traitsOf(value) };
  }
}

type AnyModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

function isModelObject(value: unknown): value is AnyModel {
  if (typeof value !== 'object' || value === null) return false;
  const version: unknown = Reflect.get(value, 'specificationVersion');
  const methods = ['doGenerate', 'doStream'].every((name) => typeof Reflect.get(value, name) === 'function');
  return methods && (version === 'v2' || version === 'v3' || version === 'v4');
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text "${value}"`;
  if (typeof value !== 'object' || value === null) return String(value);
  const version: unknown = Reflect.get(value, 'specificationVersion');
  return version === undefined
    ? 'an object without specificationVersion'
    : `an object of specification ${String(version)}`;
}
