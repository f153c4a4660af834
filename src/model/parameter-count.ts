/** What a model's name says of its size. */
export interface ParameterCount {
  /** All of them, also where only some are active for a token: they all have to be held in memory. */
  parameters: number;
  /** Those active for one token, where the name of a mixture of experts says so. */
  active?: number;
}

const billion = 1_000_000_000;
const million = 1_000_000;

/** `4b`, `0.6B`, `8x7b`, `e4b`, `A2.7B`; not the `4b` of `4bit`, nor digits inside of another number. */
const inBillions = /(?<![\d.])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)b(?![a-z\d])/gi;
/** `135m`, `270M`; one digit is the length of a context (`7b-instruct-1m`). */
const inMillions = /(?<![\d.])(\d{2,3})m(?![a-z\d])/i;
/** The letter that marks the active part of a mixture, standing alone before the number. */
const activeMark = /(?:^|[^a-z])a$/i;

/** Models of one size whose name has no number, and what Ollama gives for a name without a tag. */
const known: readonly [name: RegExp, billions: number][] = [
  [/phi-?[34](?:\.5)?[-_:]?mini/i, 3.8],
  [/tinyllama/i, 1.1],
  [/granite-?4(?:\.\d)?[-_:](?:h-)?micro/i, 3.4],
  [/(?:^|\/)phi3(?::latest)?$/i, 3.8],
  [/(?:^|\/)llama3\.2(?::latest)?$/i, 3.2],
  [/(?:^|\/)gemma3(?::latest)?$/i, 4.3],
  [/(?:^|\/)mistral(?::latest)?$/i, 7.2],
  [/(?:^|\/)llama2(?::latest)?$/i, 6.7],
  [/(?:^|\/)smollm2(?::latest)?$/i, 1.7],
  [/(?:^|\/)orca-mini(?::latest)?$/i, 3.2],
];

/**
 * How many parameters a model has by its name, such as `qwen3:4b`, `Llama-3.2-3B-Instruct-Q4_K_M.gguf`, `smollm2:135m` or
 * `phi-4-mini`; undefined where the name does not say. Of a mixture of experts all are counted (`30b-a3b` has 30 billion, `8x7b` counts
 * as 56), and of several numbers the largest.
 */
export function parameterCount(name: string): ParameterCount | undefined {
  let parameters = 0;
  let active: number | undefined;
  for (const { index, 1: experts = '1', 2: each = '0' } of name.matchAll(inBillions)) {
    const count = Math.round(Number(experts) * Number(each) * billion);
    if (activeMark.test(name.slice(0, index))) active ??= count;
    else parameters = Math.max(parameters, count);
  }
  if (parameters > 0) return active === undefined ? { parameters } : { parameters, active };
  // The active part alone does not say how large the whole is.
  if (active !== undefined) return undefined;
  const millions = Number(inMillions.exec(name)?.[1] ?? 0);
  if (millions > 0) return { parameters: millions * million };
  const billions = known.find(([pattern]) => pattern.test(name))?.[1];
  return billions === undefined ? undefined : { parameters: Math.round(billions * billion) };
}

/** A count as a reader wants it: `4B`, `0.6B`, `135M`. */
export function parametersText(parameters: number): string {
  if (parameters < billion / 2) return `${Math.round(parameters / million)}M`;
  return `${Number((parameters / billion).toFixed(1))}B`;
}
