/** US dollars per million tokens. */
export interface Rates {
  inputPerMillion: number;
  outputPerMillion: number;
  /** Input read from the vendor's cache. Default: as input, which is an upper bound. */
  cachedInputPerMillion?: number;
  /** Input written to it, where that costs more than input. Default: as input. */
  cacheWritePerMillion?: number;
  /** The same for an entry that is kept for an hour. Default: as any other. */
  hourlyCacheWritePerMillion?: number;
  /** All output of a reply that reasoned, where that is dearer. Default: as output, which is how most vendors bill reasoning. */
  reasonedOutputPerMillion?: number;
}

/** What a model costs. */
export interface Price extends Rates {
  /** Other rates for a whole call whose input has more tokens than `above`; in rising order. */
  longPrompts?: readonly (Rates & { above: number })[];
  /** What calls through the vendor's batch service cost, as a share of these rates: 0.5 is half. Default: unknown, so as others. */
  batch?: number;
}

/** A price with where it was read and when. */
export interface ListedPrice extends Price {
  source: string;
  /** `YYYY-MM` */
  asOf: string;
}

type Row = [input: number, output: number, cached?: number | undefined, rest?: Partial<ListedPrice>];

interface Group {
  source: string;
  asOf: string;
  batch?: number;
  /** Cache writes as multiples of input: for five minutes and for an hour. */
  writes?: readonly [fiveMinutes: number, hour: number];
  /** Of this provider only: others serve models of the same names at prices of their own, or on the user's machine. */
  only?: string;
}

function group({ writes, only, ...common }: Group, rows: Record<string, Row>): [string, ListedPrice][] {
  return Object.entries(rows).map(([name, [input, output, cached, rest]]) => {
    const written = writes && {
      cacheWritePerMillion: input * writes[0],
      hourlyCacheWritePerMillion: input * writes[1],
    };
    const rates = { inputPerMillion: input, outputPerMillion: output };
    const reads = cached === undefined ? {} : { cachedInputPerMillion: cached };
    return [only ? `${only}:${name}` : name, { ...rates, ...reads, ...written, ...common, ...rest }];
  });
}

/** Above a number of input tokens all of the call costs more. */
function above(tokens: number, input: number, output: number, cached?: number): Pick<Price, 'longPrompts'> {
  const reads = cached === undefined ? {} : { cachedInputPerMillion: cached };
  return { longPrompts: [{ above: tokens, inputPerMillion: input, outputPerMillion: output, ...reads }] };
}

const claudeLong: Partial<ListedPrice> = {
  longPrompts: [
    {
      above: 200_000,
      inputPerMillion: 6,
      outputPerMillion: 22.5,
      cachedInputPerMillion: 0.6,
      cacheWritePerMillion: 7.5,
      hourlyCacheWritePerMillion: 12,
    },
  ],
};
const noBatch = { batch: 1 };

const openAi = group(
  { source: 'https://openai.com/api/pricing/', asOf: '2026-08', batch: 0.5 },
  {
    'gpt-5.5': [5, 30, 0.5],
    'gpt-5.5-pro': [30, 180],
    'gpt-5.4': [2.5, 15, 0.25, above(272_000, 5, 22.5, 0.5)],
    'gpt-5.4-mini': [0.75, 4.5, 0.075],
    'gpt-5.4-nano': [0.2, 1.25, 0.02],
    'gpt-5.4-pro': [30, 180, undefined, above(272_000, 60, 270)],
    'gpt-5.3-codex': [1.75, 14, 0.175, noBatch],
    'gpt-5.2': [1.75, 14, 0.175],
    'gpt-5.2-pro': [21, 168],
    'gpt-5.1': [1.25, 10, 0.125],
    'gpt-5.1-codex': [1.25, 10, 0.125, noBatch],
    'gpt-5.1-codex-mini': [0.25, 2, 0.025, noBatch],
    'gpt-5': [1.25, 10, 0.125],
    'gpt-5-codex': [1.25, 10, 0.125, noBatch],
    'gpt-5-mini': [0.25, 2, 0.025],
    'gpt-5-nano': [0.05, 0.4, 0.005],
    'gpt-5-pro': [15, 120],
    'gpt-4.1': [2, 8, 0.5],
    'gpt-4.1-mini': [0.4, 1.6, 0.1],
    'gpt-4.1-nano': [0.1, 0.4, 0.025],
    'gpt-4o': [2.5, 10, 1.25],
    'gpt-4o-mini': [0.15, 0.6, 0.075],
    o3: [2, 8, 0.5],
    'o3-pro': [20, 80],
    'o3-mini': [1.1, 4.4, 0.55],
    'o4-mini': [1.1, 4.4, 0.275],
    'text-embedding-3-small': [0.02, 0],
    'text-embedding-3-large': [0.13, 0],
  },
);

const anthropic = group(
  { source: 'https://claude.com/pricing', asOf: '2026-08', batch: 0.5, writes: [1.25, 2] },
  {
    'claude-opus-4-8': [5, 25, 0.5],
    'claude-opus-4-7': [5, 25, 0.5],
    'claude-opus-4-6': [5, 25, 0.5],
    'claude-opus-4-5': [5, 25, 0.5],
    'claude-opus-4-1': [15, 75, 1.5],
    'claude-opus-4-0': [15, 75, 1.5],
    'claude-opus-4': [15, 75, 1.5],
    'claude-sonnet-4-6': [3, 15, 0.3],
    'claude-sonnet-4-5': [3, 15, 0.3, claudeLong],
    'claude-sonnet-4-0': [3, 15, 0.3, claudeLong],
    'claude-sonnet-4': [3, 15, 0.3, claudeLong],
    'claude-haiku-4-5': [1, 5, 0.1],
    'claude-3-5-haiku': [0.8, 4, 0.08],
    'claude-3-haiku': [0.25, 1.25, 0.03, { cacheWritePerMillion: 0.3 }],
  },
);

const google = group(
  { source: 'https://ai.google.dev/gemini-api/docs/pricing', asOf: '2026-08', batch: 0.5 },
  {
    'gemini-3.6-flash': [1.5, 7.5, 0.15],
    'gemini-3.5-flash': [1.5, 9, 0.15],
    'gemini-3.5-flash-lite': [0.3, 2.5, 0.03],
    'gemini-3.1-pro-preview': [2, 12, 0.2, above(200_000, 4, 18, 0.4)],
    'gemini-3.1-flash-lite': [0.25, 1.5, 0.025],
    'gemini-3-pro-preview': [2, 12, 0.2, above(200_000, 4, 18, 0.4)],
    'gemini-3-flash-preview': [0.5, 3, 0.05],
    'gemini-2.5-pro': [1.25, 10, 0.125, above(200_000, 2.5, 15, 0.25)],
    'gemini-2.5-flash': [0.3, 2.5, 0.03],
    'gemini-2.5-flash-lite': [0.1, 0.4, 0.01],
    'gemini-2.0-flash': [0.1, 0.4, 0.025],
    'gemini-2.0-flash-lite': [0.075, 0.3],
    'gemini-embedding-001': [0.15, 0],
  },
);

const xai = group(
  { source: 'https://docs.x.ai/docs/models', asOf: '2026-07' },
  {
    'grok-4.5': [2, 6, 0.5],
    'grok-4.3': [1.25, 2.5, 0.2, above(200_000, 2.5, 5, 0.4)],
    'grok-4-1-fast-reasoning': [0.2, 0.5, 0.05, above(128_000, 0.4, 1, 0.1)],
    'grok-4-1-fast-non-reasoning': [0.2, 0.5, 0.05, above(128_000, 0.4, 1, 0.1)],
    'grok-4-fast-reasoning': [0.2, 0.5, 0.05, above(128_000, 0.4, 1, 0.1)],
    'grok-4-fast-non-reasoning': [0.2, 0.5, 0.05, above(128_000, 0.4, 1, 0.1)],
    'grok-4': [3, 15, 0.75, above(128_000, 6, 30, 1.5)],
    'grok-3': [3, 15, 0.75],
    'grok-3-mini': [0.3, 0.5, 0.075],
    'grok-code-fast-1': [0.2, 1.5, 0.02],
  },
);

const mistral = group(
  { source: 'https://mistral.ai/pricing', asOf: '2026-06', batch: 0.5, only: 'mistral' },
  {
    'mistral-large-2512': [0.5, 1.5, 0.05],
    // Since May 2026 the name of the newest; the one before cost less.
    'mistral-medium-latest': [1.5, 7.5],
    'mistral-medium-3.5': [1.5, 7.5],
    'mistral-medium-2508': [0.4, 2],
    'mistral-medium-2505': [0.4, 2],
    'mistral-small-2603': [0.15, 0.6, 0.015],
    'magistral-medium': [2, 5],
    'devstral-2512': [0.4, 2, 0.04],
    'codestral-2508': [0.3, 0.9, 0.03],
    'ministral-14b-2512': [0.2, 0.2, 0.02],
    'ministral-3b-2512': [0.1, 0.1, 0.01],
    'mistral-embed': [0.1, 0],
  },
);

const groq = group(
  { source: 'https://groq.com/pricing', asOf: '2026-03', batch: 0.5, only: 'groq' },
  {
    'openai/gpt-oss-120b': [0.15, 0.6, 0.075],
    'openai/gpt-oss-20b': [0.075, 0.3, 0.0375],
    'llama-3.3-70b-versatile': [0.59, 0.79],
    'llama-3.1-8b-instant': [0.05, 0.08],
    'meta-llama/llama-4-maverick-17b-128e-instruct': [0.2, 0.6],
    'meta-llama/llama-4-scout-17b-16e-instruct': [0.11, 0.34],
    'moonshotai/kimi-k2-instruct': [1, 3, 0.5],
    'moonshotai/kimi-k2-instruct-0905': [1, 3, 0.5],
    'qwen/qwen3-32b': [0.29, 0.59],
  },
);

const deepSeek = [
  ...group(
    { source: 'https://api-docs.deepseek.com/quick_start/pricing', asOf: '2026-03' },
    { 'deepseek-chat': [0.28, 0.42, 0.028], 'deepseek-reasoner': [0.28, 0.42, 0.028] },
  ),
  // In peak hours; at other times half of it.
  ...group(
    { source: 'https://api-docs.deepseek.com/quick_start/pricing', asOf: '2026-10', only: 'deepseek' },
    {
      'deepseek-flash': [0.3, 1.2, 0.006],
      'deepseek-v4-flash': [0.3, 1.2, 0.006],
      'deepseek-v4-pro': [1.32, 3.96, 0.044],
    },
  ),
];

const alibaba = group(
  { source: 'https://www.alibabacloud.com/help/en/model-studio/models', asOf: '2026-03' },
  {
    // The international prices. Replies that think are dearer.
    'qwen-plus': [
      0.4,
      1.2,
      undefined,
      {
        reasonedOutputPerMillion: 4,
        longPrompts: [{ above: 256_000, inputPerMillion: 1.2, outputPerMillion: 3.6, reasonedOutputPerMillion: 12 }],
      },
    ],
    'qwen-max': [1.6, 6.4],
    'qwen-flash': [0.05, 0.4, undefined, above(256_000, 0.25, 2)],
    'qwen-turbo': [0.05, 0.2, undefined, { reasonedOutputPerMillion: 0.5 }],
    'qwen3-max': [
      1.2,
      6,
      undefined,
      {
        longPrompts: [
          { above: 32_000, inputPerMillion: 2.4, outputPerMillion: 12 },
          { above: 128_000, inputPerMillion: 3, outputPerMillion: 15 },
        ],
      },
    ],
  },
);

const moonshotAi = group(
  { source: 'https://platform.moonshot.ai/docs/pricing/chat', asOf: '2026-06', only: 'moonshotai' },
  {
    'kimi-k2.6': [0.95, 4, 0.16],
    'kimi-k2.5': [0.6, 3, 0.1],
    'kimi-k2-thinking': [0.6, 2.5, 0.15],
    'kimi-k2-thinking-turbo': [1.15, 8, 0.15],
    'kimi-k2-turbo-preview': [1.15, 8, 0.15],
    'kimi-k2-0905-preview': [0.6, 2.5, 0.15],
  },
);

// The prices in US dollars of its door abroad; at home they are lower, and in yuan.
const zhipu = group(
  { source: 'https://docs.z.ai/guides/overview/pricing', asOf: '2026-03', only: 'zhipu' },
  {
    'glm-5': [1, 3.2, 0.2],
    'glm-4.7': [0.6, 2.2, 0.11],
    'glm-4.6': [0.6, 2.2, 0.11],
    'glm-4.5': [0.6, 2.2, 0.11],
    'glm-4.5-air': [0.2, 1.1, 0.03],
  },
);

/**
 * Public list prices by model name (or `provider:name`) for standard processing, written down from the vendors' pages or copies of them
 * in the month that each row names; nothing is looked up when a price is used. List prices change, and regions and contracts have
 * prices of their own: override what differs (`priceOf`). A model that is not listed is unpriced, never free.
 */
export const prices: Readonly<Record<string, ListedPrice>> = Object.fromEntries(
  [openAi, anthropic, google, xai, mistral, groq, deepSeek, alibaba, moonshotAi, zhipu].flat(),
);

/** The month of the oldest row of the list. */
export const pricesAsOf: string = Object.values(prices)
  .map(({ asOf }) => asOf)
  .reduce((oldest, asOf) => [oldest, asOf].toSorted()[0] ?? asOf);
