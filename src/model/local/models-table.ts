import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { nearestName } from '../../tools/nearest.ts';
import { modelsFolder } from './cache-folder.ts';

/** How a model card says that its model is to be sampled. */
export interface Sampling {
  temperature: number;
  topP: number;
  topK: number;
  minP?: number;
}

/** A model that `assay models pull` knows. */
export interface LocalModelRow {
  /** What `local:NAME` says. */
  name: string;
  /** On the hub, `owner/name`. */
  repo: string;
  /** A commit or a branch. A branch moves: what comes is held to the hash of the first download. */
  revision: string;
  file: string;
  /** Bytes, about: what the hub says of the file itself is held to. */
  size: number;
  /** Of the file, where it is known beforehand. */
  sha256?: string;
  licence: string;
  /** Memory it takes with `contextTokens`, in bytes, about: the file, the cache of the context, and room to compute in. */
  ramBytes: number;
  /** What it is run with unless told otherwise; the models know more. */
  contextTokens: number;
  parameters: number;
  sampling: Sampling;
}

const GB = 1_000_000_000;
const quiet: Sampling = { temperature: 0.7, topP: 0.8, topK: 20, minP: 0 };

/**
 * The models by name, the default first. Names, sizes and licences are from the model cards of 2026; no hash could be looked up where this
 * was written, so the first download pins it.
 */
export const localModels: readonly LocalModelRow[] = [
  {
    name: 'qwen3-4b',
    repo: 'unsloth/Qwen3-4B-Instruct-2507-GGUF',
    revision: 'main',
    file: 'Qwen3-4B-Instruct-2507-Q4_K_M.gguf',
    size: 2.5 * GB,
    licence: 'Apache-2.0',
    ramBytes: 5.3 * GB,
    contextTokens: 16_384,
    parameters: 4_000_000_000,
    sampling: quiet,
  },
  {
    name: 'qwen3-0.6b',
    repo: 'unsloth/Qwen3-0.6B-GGUF',
    revision: 'main',
    file: 'Qwen3-0.6B-Q4_K_M.gguf',
    size: 0.4 * GB,
    licence: 'Apache-2.0',
    ramBytes: 2.6 * GB,
    contextTokens: 16_384,
    parameters: 600_000_000,
    sampling: quiet,
  },
  {
    name: 'qwen3-1.7b',
    repo: 'unsloth/Qwen3-1.7B-GGUF',
    revision: 'main',
    file: 'Qwen3-1.7B-Q4_K_M.gguf',
    size: 1.1 * GB,
    licence: 'Apache-2.0',
    ramBytes: 3.3 * GB,
    contextTokens: 16_384,
    parameters: 1_700_000_000,
    sampling: quiet,
  },
  {
    name: 'qwen3.5-4b',
    repo: 'unsloth/Qwen3.5-4B-GGUF',
    revision: 'main',
    file: 'Qwen3.5-4B-Q4_K_M.gguf',
    size: 2.7 * GB,
    licence: 'Apache-2.0',
    ramBytes: 3.7 * GB,
    contextTokens: 16_384,
    parameters: 4_000_000_000,
    sampling: quiet,
  },
];

/** What a `local:` id or a command line means: a row of the table, or a file. */
export type FoundLocalModel = { file: string; row?: LocalModelRow | undefined };

/** The row of a name. Throws `UsageError` with the names there are. */
export function localModelRow(name: string): LocalModelRow {
  const wanted = name.trim().toLowerCase();
  const row = localModels.find((one) => one.name === wanted);
  if (row) return row;
  const names = localModels.map((one) => one.name);
  const near = nearestName(wanted, names);
  throw new UsageError(
    `There is no local model "${name}" in the table.${near ? ` Did you mean ${near}?` : ''} The names are: ${names.join(', ')}. ` +
      'Any other model file (.gguf) is used by its path: local:/path/to/model.gguf',
  );
}

/** The file behind `local:NAME` or `local:PATH`; a name's file may not be there yet. Throws `UsageError` for an unknown name. */
export function findLocalModel(nameOrPath: string, env: NodeJS.ProcessEnv = process.env): FoundLocalModel {
  const isPath = /[\\/]|\.gguf$/i.test(nameOrPath);
  const row = isPath ? rowOfFile(nameOrPath) : localModelRow(nameOrPath);
  return { file: isPath || !row ? nameOrPath : join(modelsFolder(env), row.file), row };
}

/** The row whose file is called like this one. */
export function rowOfFile(path: string): LocalModelRow | undefined {
  const name = path.split(/[\\/]/).at(-1);
  return localModels.find(({ file }) => file === name);
}

/** The models of the table whose files are there, in the order of the table. */
export function installedModels(env: NodeJS.ProcessEnv): { row: LocalModelRow; file: string; bytes: number }[] {
  return localModels.flatMap((row) => {
    const file = join(modelsFolder(env), row.file);
    return existsSync(file) ? [{ row, file, bytes: statSync(file).size }] : [];
  });
}
