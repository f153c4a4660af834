import type { LanguageModelV4 } from '@ai-sdk/provider';

/** What a vendor's package is given. */
export interface Connection {
  modelId: string;
  baseUrl: string;
  apiKey: string | undefined;
  /** For what a vendor reads beside the key: a region, an API version. */
  env: NodeJS.ProcessEnv;
}

/** A vendor that is reached with a key. What its API can do is in `wire/abilities.ts`. */
export interface Vendor {
  /** What an id starts with: `openai` in `openai:gpt-5-mini`. */
  prefix: string;
  /** Other ways to write the prefix. */
  aliases?: readonly string[];
  label: string;
  /** The npm package that speaks to it: a dependency of ours, or an optional peer that users install. */
  package: string;
  /** Environment variables that may hold the key; the first is the one to recommend. */
  keyVariables: readonly [string, ...string[]];
  keyPage: string;
  /** The environment variable that points elsewhere, and where the vendor's API is without it. */
  baseUrlVariable: string;
  baseUrl: string;
  /** The model that is used when only the key is known. */
  defaultModel: string;
  /** Where the API is by other variables of the vendor's; undefined when they say nothing. */
  locate?(env: NodeJS.ProcessEnv): string | undefined;
  /** What the environment lacks for a call, as a sentence with the remedy. Default: a key. */
  lacks?(env: NodeJS.ProcessEnv): string | undefined;
  create(connection: Connection): Promise<LanguageModelV4>;
}

/** The first of some environment variables that is set, with its value. Blank counts as unset. */
export function firstSet(
  variables: readonly string[],
  env: NodeJS.ProcessEnv,
): { variable: string; value: string } | undefined {
  for (const variable of variables) {
    const value = env[variable]?.trim();
    if (value) return { variable, value };
  }
  return undefined;
}
