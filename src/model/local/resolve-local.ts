import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { UsageError } from '../../core/errors.ts';
import type { ModelTraits } from '../capability.ts';
import { sizeText } from './bytes.ts';
import { cacheFolder } from './cache-folder.ts';
import { defaultContext, type EngineSettings, type LocalEngine, type ReadProgress } from './local-engine.ts';
import { localModel } from './local-model.ts';
import { checkModelFile } from './model-file.ts';
import { findLocalModel, type LocalModelRow } from './models-table.ts';

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
  /** Hears once of what is wrong with the model itself, for example its chat template. Default: a process warning. */
  onWarning?: ((warning: string) => void) | undefined;
}

/** One engine for each file and way to run it: every role and every run shares the memory and what was read. */
const engines = new Map<string, LocalEngine>();

/**
 * The model behind `local:NAME`, a model of the table whose file was pulled, or `local:PATH.gguf`. Its file is looked at here and loaded
 * by the first call. Throws `UsageError` for an unknown name, a file that is missing or none, and for settings that mean nothing.
 */
export async function resolveLocal(
  rest: string,
  env: NodeJS.ProcessEnv,
  options: LocalOptions = {},
): Promise<LanguageModelV4 & ModelTraits> {
  const { file: found, row } = findLocalModel(rest, env);
  const file = resolve(found.replace(/^~(?=\/)/, homedir()));
  if (row && !existsSync(file)) throw new UsageError(notPulled(row, file));
  checkModelFile(file);
  const contextTokens =
    options.contextTokens ?? countFrom(env, 'ASSAY_LOCAL_CONTEXT') ?? row?.contextTokens ?? defaultContext;
  const threads = options.threads ?? countFrom(env, 'ASSAY_LOCAL_THREADS');
  const modelId = row?.name ?? basename(file, '.gguf');
  const settings: EngineSettings = {
    file,
    modelId,
    contextTokens,
    gpu: options.gpu ?? env['ASSAY_LOCAL_GPU']?.trim().toLowerCase() !== 'off',
    cacheFolder: cacheFolder(env),
    ...(threads !== undefined && { threads }),
    ...(row && { sampling: row.sampling }),
  };
  const engine = await engineFor(settings, options.isolation ?? isolationFrom(env));
  const traits = { contextTokens, ...(row && { parameters: row.parameters }) };
  const { onReadProgress, onWarning } = options;
  return localModel(engine, { modelId, traits, onReadProgress, onWarning });
}

function notPulled({ name, size }: LocalModelRow, file: string): string {
  return `The model ${name} is not on this machine (${file} is missing). Get it, ${sizeText(size)}, with: assay models pull ${name}`;
}

/** Gives back the memory of every model that was resolved, and ends their processes. The next call of one loads it anew. */
export async function closeLocalModels(): Promise<void> {
  await Promise.all([...engines.values()].map((engine) => engine.close()));
}

async function engineFor(settings: EngineSettings, isolation: 'process' | 'in-process'): Promise<LocalEngine> {
  const Engine =
    isolation === 'process'
      ? (await import('./child-engine.ts')).ChildEngine
      : (await import('./llama-engine.ts')).LlamaEngine;
  const key = JSON.stringify([isolation, settings]);
  const engine = engines.get(key) ?? new Engine(settings);
  engines.set(key, engine);
  return engine;
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
