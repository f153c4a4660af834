/** The names of the GenAI conventions for who serves a model, by how its adapter calls itself. */
const served: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  'amazon-bedrock': 'aws.bedrock',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
};

/** Families of models by how their ids begin, with the name of their maker in the conventions. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt|o\d|chatgpt)\b/, 'openai'],
  [/^claude\b/, 'anthropic'],
  [/^gemini\b/, 'gcp.gemini'],
  [/^deepseek\b/, 'deepseek'],
  [/^(?:mistral|magistral|codestral|ministral)\b/, 'mistral_ai'],
  [/^(?:kimi|moonshot)\b/, 'moonshot_ai'],
  [/^grok\b/, 'x_ai'],
  [/^command-[ar]/, 'cohere'],
];

/**
 * `gen_ai.provider.name` of a call: who serves the model, in the words of the conventions where they have one, else as its adapter says.
 * Where no adapter is known, as at the start of a run, the maker of a known family.
 */
export function providerNameOf(model: string, provider?: string): string | undefined {
  const vendor = provider?.split('.')[0];
  if (vendor) return served[vendor] ?? vendor;
  return families.find(([pattern]) => pattern.test(model))?.[1];
}
