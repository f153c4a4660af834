import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type ModelTraits, traitsOf } from './capability.ts';
import { markAdapted } from './wire.ts';

/** The same model as an object of its own, with other traits. It is adapted already. */
export function delegateOf(model: LanguageModelV4, change: ModelTraits = {}): LanguageModelV4 & ModelTraits {
  const made: LanguageModelV4 & ModelTraits = {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    ...traitsOf(model),
    ...change,
    doGenerate: (call) => model.doGenerate(call),
    doStream: (call) => model.doStream(call),
  };
  markAdapted(made);
  return made;
}
