/** What a vendor's API insists on. `compatible` is any other server: the least that all of them accept. */
export type Dialect = 'openai' | 'anthropic' | 'google' | 'compatible';

const dialects: readonly [prefix: string, dialect: Dialect][] = [
  ['openai.', 'openai'],
  ['azure.', 'openai'],
  ['anthropic.', 'anthropic'],
  ['vertex.anthropic.', 'anthropic'],
  ['google.', 'google'],
];

/** The dialect of a provider name as the AI SDK packages give it, for example `openai.responses`. */
export function dialectOf(provider: string): Dialect {
  return dialects.find(([prefix]) => `${provider}.`.startsWith(prefix))?.[1] ?? 'compatible';
}
