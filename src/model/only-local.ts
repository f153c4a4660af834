/** Data residency: no model is asked that is not on this machine. Tools are not held back by it. */
import { UsageError } from '../core/errors.ts';
import { type AskedModel, isLocal } from './capability.ts';

/** Whether `ASSAY_ONLY_LOCAL` says so for every agent of the process. */
export function onlyLocalByEnvironment(env: NodeJS.ProcessEnv): boolean {
  const said = env['ASSAY_ONLY_LOCAL']?.trim().toLowerCase();
  return said !== undefined && !['', '0', 'false', 'no'].includes(said);
}

/** Throws `UsageError` for a model that is elsewhere, or may be. `use`: what it is for. */
export function requireLocal(model: AskedModel, use = ''): void {
  if (!isLocal(model)) throw elsewhere(`${model.provider.split('.')[0]}:${model.modelId}`, use);
}

/** The refusal of a model that is elsewhere, by the name that the user gave it. */
export function elsewhere(name: string, use = ''): UsageError {
  return new UsageError(
    `Only models on this machine may be asked (onlyLocal), and ${name}${use && `, ${use},`} is not known to be one. ` +
      'Name a model of a server on this machine (ollama:MODEL, openai-compatible:http://127.0.0.1:8080/v1#MODEL) or in this process ' +
      '(local:…); a function or a command that stays on this machine is declared: { model, local: true }.',
  );
}
