import { azure, bedrock, groq, openRouter } from './vendors/hosts.ts';
import { alibaba, anthropic, deepSeek, google, mistral, moonshotAi, openAi, xai, zhipu } from './vendors/labs.ts';
import { firstSet, type Vendor } from './vendors/vendor.ts';

export type { Vendor } from './vendors/vendor.ts';

/**
 * The vendors, in the order in which their keys are looked for; those last whose keys say nothing about models, or that
 * need more than a key. A package is loaded when one of its models is asked for.
 */
export const vendors: readonly Vendor[] = [
  anthropic,
  openAi,
  google,
  openRouter,
  groq,
  mistral,
  xai,
  deepSeek,
  alibaba,
  moonshotAi,
  zhipu,
  bedrock,
  azure,
];

/** The key of a vendor in an environment, with the variable that holds it. Blank counts as unset. */
export function keyOf(vendor: Vendor, env: NodeJS.ProcessEnv): { variable: string; key: string } | undefined {
  const found = firstSet(vendor.keyVariables, env);
  return found && { variable: found.variable, key: found.value };
}
