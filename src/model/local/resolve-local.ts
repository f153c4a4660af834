import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { UsageError } from '../../core/errors.ts';
import type { ModelTraits } from '../capability.ts';
import type { EngineSettings, LocalEngine, ReadProgress } from './local-engine.ts';
import { localModel } from './local-model.ts';
import { checkModelFile } from './model-file.ts';

/** How models of `local:` are run. What is absent is read from the environment. */
export interface LocalOptions {
  /**
   * `process`: in a process of its own, so that a crash of native code fails a call and nothing else; for servers. `in-process` starts
   * faster. `ASSAY_LOCAL_ISOLATION`, else `in-process`.
   */
  isolation?: 'process' | 'in-process' | undefined;
  /** `ASSAY_LOCAL_THREADS`, else the cores that are good at this; never more than the machine offers to this process. */
  threads?: number | undefined;
  /** The largest context, in tokens. `ASSAY_LOCAL_CONTEXT`, else what is known to suit the model, else 16,384. */
  contextTokens?: number | undefined;
  /** Whether a graphics processor is used where there is one. `ASSAY_LOCAL_GPU=off` says no. */
  gpu?: boolean | undefined;
  /** Hears how far the prompt of each call is read, in tokens, several times a second. */
  onReadProgress?: ((progress: ReadProgress) => void) | undefined;
}

/** One engine for each file and way to run it: every role and every run shares the memory and what was read. */
const engines = new Map<string, LocalEngine>();

/**
 * The model behind `local:PATH.gguf`. Its file is looked at here and loaded by the first call. Throws `UsageError` for a file that
 * is none and for settings that mean nothing.
 */
export async function resolveLocal(
  rest: string,
  env: NodeJS.ProcessEnv,
  options: LocalOptions = {},
): Promise<LanguageModelV4 & ModelTraits> {
  const file = resolve(rest.replace(/^~(?=\/)/, homedir()));
  checkModelFile(file);
  const contextTokens = options.contextTokens ?? countFrom(env, 'ASSAY_LOCAL_CONTEXT') ?? 16_384;
  const threads = options.threads ?? countFrom(env, 'ASSAY_LOCAL_THREADS');
  const modelId = basename(file, '.gguf');
  const settings: EngineSettings = {
    file,
    modelId,
    contextTokens,
    gpu: options.gpu ?? env['ASSAY_LOCAL_GPU']?.trim().toLowerCase() !== 'off',
    ...(threads !== undefined && { threads }),
  };
  const engine = await engineFor(settings, options.isolation ?? isolationFrom(env));
  return localModel(engine, { modelId, traits: { contextTokens }, onReadProgress: options.onReadProgress });
}

/** Gives back the memory of every model that was resolved, and ends their processes. The next call of one loads it anew. */
export async function closeLocalModels(): Promise<void> {
  await Promise.all([...engines.values()].map((engine) => engine.close()));
}

async function engineFor(settings: EngineSettings, isolation: 'process' | 'in-process'): Promise<LocalEngine> {
  const key = JSON.stringify([isolation, settings]);
  const known = engines.get(key);
  if (known) return known;
  const engine =
    isolation === 'process'
      ? new (await import('./child-engine.ts')).ChildEngine(settings)
      : new (await import('./llama-engine.ts')).LlamaEngine(settings);
  const first = engines.get(key) ?? engine;
  engines.set(key, first);
  return first;
}

function countFrom(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const given = env[name]?.trim();
  if (!given) return undefined;
  const count = Number(given);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(`${name} is "${given}", and it has to be a whole number above 0. Correct it, or unset it.`);
}

function isolationFrom(env: NodeJS.ProcessEnv): 'process' | 'in-process' {
  const given = env['ASSAY_LOCAL_ISOLATION']?.trim() || 'in-process';
  if (given === 'process' || given === 'in-process') return given;
  throw new UsageError(
    `ASSAY_LOCAL_ISOLATION is "${given}". It has to be process or in-process. Correct it, or unset it.`,
  );
}
