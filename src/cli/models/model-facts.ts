import { usualTimeoutMs } from '../../model/detect.ts';
import { fitsMemory } from '../../model/local/memory.ts';
import { installedModels, type LocalModelRow, localModels } from '../../model/local/models-table.ts';
import { findLlamaRuntime, type RuntimePlace } from '../../model/local/runtime.ts';
import { localServers } from '../../model/local-servers.ts';
import { modelSize } from '../../model/model-size.ts';
import { pricesAsOf } from '../../model/prices.ts';
import { keyOf, vendors } from '../../model/providers/vendors.ts';
import { servedId, serverModels } from '../../model/server-models.ts';
import { enoughContext } from './look-at-model.ts';

/** A model of the table and what of it is here. */
export interface LocalFacts {
  name: string;
  installed: boolean;
  file?: string;
  /** Of the file that is here, else about. */
  bytes: number;
  memoryBytes: number;
  fitsMemory: boolean;
  licence: string;
  contextTokens: number;
  smallModelMode: boolean;
}

/** A server on this machine and what it offers. */
export interface ServerFacts {
  name: string;
  origin: string;
  outcome: string;
  models: { id: string; contextTokens?: number; tooShort: boolean }[];
}

export interface VendorFacts {
  id: string;
  label: string;
  variable: string | undefined;
  set: boolean;
  keyPage: string;
}

/** What there is on this machine to use models with. */
export interface ModelFacts {
  local: LocalFacts[];
  runtime: RuntimePlace | null;
  servers: ServerFacts[];
  vendors: VendorFacts[];
  pricesAsOf: string;
}

/** Looks at files, servers and the names of variables; never at a key. */
export async function modelFacts(env: NodeJS.ProcessEnv): Promise<ModelFacts> {
  return {
    local: localModels.map((row) => localFacts(row, env)),
    runtime: findLlamaRuntime({ env }) ?? null,
    servers: await askServers(env),
    vendors: vendors.map((vendor) => vendorFacts(vendor, env)),
    pricesAsOf,
  };
}

function localFacts(row: LocalModelRow, env: NodeJS.ProcessEnv): LocalFacts {
  const here = installedModels(env).find((one) => one.row === row);
  const { name, licence, contextTokens, parameters, ramBytes } = row;
  return {
    name,
    installed: here !== undefined,
    ...(here && { file: here.file }),
    bytes: here?.bytes ?? row.size,
    memoryBytes: ramBytes,
    fitsMemory: fitsMemory(row),
    licence,
    contextTokens,
    smallModelMode: modelSize({ provider: 'local', modelId: name, parameters, contextTokens }).small,
  };
}

async function askServers(env: NodeJS.ProcessEnv): Promise<ServerFacts[]> {
  return Promise.all(
    localServers(env).map(async (server) => {
      const { models, outcome } = await serverModels(server, { fetch, timeoutMs: usualTimeoutMs });
      const listed = models.map((model) => {
        const { contextTokens } = model;
        // Ollama is told by every call how much is wanted.
        const tooShort = server.speaks !== 'ollama' && contextTokens !== undefined && contextTokens < enoughContext;
        return { id: servedId(server, model), ...(contextTokens !== undefined && { contextTokens }), tooShort };
      });
      return { name: server.name, origin: server.origin, outcome, models: listed };
    }),
  );
}

function vendorFacts(vendor: (typeof vendors)[number], env: NodeJS.ProcessEnv): VendorFacts {
  const key = keyOf(vendor, env);
  return {
    id: `${vendor.prefix}:${vendor.defaultModel}`,
    label: vendor.label,
    variable: key?.variable ?? vendor.keyVariables[0],
    set: key !== undefined,
    keyPage: vendor.keyPage,
  };
}
