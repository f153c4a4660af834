import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userMessage } from '../core/transcript.ts';
import { languageModelContract, type Scene } from '../testing/language-model-contract.ts';
import {
  startVendorServer,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
  type VendorServerOptions,
  vendorEnvironment,
} from '../testing/vendor-server.ts';
import { vendorWireContract, type WireFacts } from '../testing/vendor-wire-contract.ts';
import { vendors } from './providers/vendors.ts';
import { resolveModel } from './resolve.ts';
import { asSchema } from './wire/json-schema.ts';

/** Every adapter against a server that speaks its vendor's wire format and refuses what the vendor refuses. */

let server: VendorServer;
let script: Exclude<VendorServerOptions['script'], readonly VendorReply[]>;
beforeAll(async () => {
  server = await startVendorServer({ script: (request) => script(request) });
});
afterAll(() => server.close());

/** A model that is answered by the script from now on. */
async function open(id: string, replies: VendorServerOptions['script'], reasoning?: 'none' | 'high') {
  const left = typeof replies === 'function' ? [] : [...replies];
  const none: VendorReply = { type: 'http-error', status: 500, message: 'the script has no reply left' };
  script = typeof replies === 'function' ? replies : () => left.shift() ?? none;
  server.requests.length = 0;
  const model = await resolveModel(id, { env: { ...vendorEnvironment(server.url), ...environments[id] }, reasoning });
  return { model, requests: server.requests };
}

/** The scenes of the contract, as a model behind a vendor plays them. */
function play(scene: Scene): VendorServerOptions['script'] {
  const call = (...items: string[]): VendorReply => ({
    type: 'tool-calls',
    calls: items.map((shelf) => ({ name: 'count_items', args: { shelf } })),
  });
  const seven: VendorReply = { type: 'text', text: 'There are seven.' };
  switch (scene) {
    case 'text':
      return () => seven;
    case 'tool-loop':
      return [call('a'), seven];
    case 'two-calls':
      return [call('a', 'b')];
    case 'forced-call':
      return forcedCall;
    case 'answer':
      return [{ type: 'text', text: '{"count":7,"unit":null,"tags":["bolt"]}' }];
    case 'cut-off':
      return [{ type: 'text', text: 'There are', cutOff: true }];
    case 'slow':
      return () => ({ type: 'silence', ms: 3_000 });
    case 'too-long':
      return () => ({ type: 'too-long' });
  }
}

/** Does as it is told: calls what is named, else the only tool, else the first. A format is kept to where there is one. */
function forcedCall({ body, vendor }: VendorRequest): VendorReply {
  const config = asSchema(body['toolConfig']);
  const choice = JSON.stringify([
    body['tool_choice'],
    config?.['toolChoice'],
    config?.['functionCallingConfig'],
    body['format'],
  ]);
  const offered = JSON.stringify([body['tools'], config?.['tools']]);
  const named = choice.includes('list_shelves') && !choice.includes('count_items');
  const name = named || !offered.includes('count_items') ? 'list_shelves' : 'count_items';
  const args = name === 'list_shelves' ? {} : { shelf: 'a' };
  if (vendor === 'ollama') return { type: 'text', text: JSON.stringify({ name, arguments: args }) };
  return { type: 'tool-calls', calls: [{ name, args }] };
}

/** Variables that an id needs beside the usual ones. */
const environments: Record<string, Record<string, string>> = {
  'azure:old-deployment': { AZURE_OPENAI_API_VERSION: '2024-10-21' },
};

interface Case extends WireFacts {
  id: string;
  wire: VendorRequest['vendor'];
  sceneSkips?: Partial<Record<Scene, string>>;
}

const openAiEffort = { none: { reasoning: { effort: 'minimal' } }, high: { reasoning: { effort: 'high' } } };
const effort = { none: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } };
const thinking = { none: { thinking: { type: 'disabled' } }, high: { thinking: { type: 'enabled' } } };
const template = {
  none: { chat_template_kwargs: { enable_thinking: false } },
  high: { chat_template_kwargs: { enable_thinking: true }, reasoning_effort: 'high' },
};
const cacheKey = /"prompt_cache_key":"\w+"/;

/** Both ways of a behaviour, skipped with the reason. */
const bothWays = (what: string, reason: string) => ({ [`plain: ${what}`]: reason, [`streamed: ${what}`]: reason });
const objectArguments = bothWays(
  'arguments that are no JSON come as the model wrote them, and can go back',
  'arguments are objects on this wire',
);
const noRefusals = bothWays('a refusal ends with the filter', 'a refusal is a text like any other here');
const noFilter = bothWays('a filtered answer ends with the filter', 'this API reports no filter');

const cases: Case[] = [
  { id: 'openai:gpt-5-mini', wire: 'openai', thoughtBack: '"sealed"', reasoning: openAiEffort, cache: cacheKey },
  {
    id: 'anthropic:claude-sonnet-4-6',
    wire: 'anthropic',
    usage: { reasoning: undefined },
    thoughtBack: '"signed"',
    reasoning: {
      none: { thinking: { type: 'disabled' } },
      high: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    },
    cache: /"cache_control"/,
    skips: objectArguments,
  },
  {
    id: 'google:gemini-2.5-flash',
    wire: 'google',
    thoughtBack: '"signed"',
    reasoning: {
      none: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      high: { generationConfig: { thinkingConfig: { thinkingBudget: expect.any(Number) } } },
    },
    skips: objectArguments,
  },
  {
    id: 'azure:gpt-5-mini',
    wire: 'azure',
    thoughtBack: '"sealed"',
    // A deployment may have any name, so its package guesses no model behind it.
    reasoning: { none: { reasoning: { effort: 'none' } }, high: { reasoning: { effort: 'high' } } },
    cache: cacheKey,
    skips: bothWays('a refusal ends with the filter', 'its package carries an older one of OpenAI, which reads none'),
  },
  {
    id: 'azure:old-deployment',
    wire: 'azure',
    thoughtBack: 'nothing',
    reasoning: { none: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
    cache: cacheKey,
    skips: {
      ...noRefusals,
      ...bothWays('thoughts come apart from the text, and go back as they came', 'chat completions keep them'),
    },
  },
  {
    id: 'bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    wire: 'bedrock',
    usage: { reasoning: undefined },
    thoughtBack: '"signed"',
    reasoning: {
      none: {},
      high: { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: expect.any(Number) } } },
    },
    cache: /"cachePoint"/,
    skips: objectArguments,
  },
  {
    id: 'bedrock:us.amazon.nova-pro-v1:0',
    wire: 'bedrock',
    usage: { reasoning: undefined },
    thoughtBack: '"signed"',
    reasoning: { none: {}, high: {} },
    cache: /"cachePoint"/,
    skips: objectArguments,
  },
  {
    id: 'mistral:mistral-medium-latest',
    wire: 'mistral',
    usage: { reasoning: undefined },
    thoughtBack: 'Bolts are counted.',
    reasoning: effort,
    cache: cacheKey,
    skips: {
      ...noRefusals,
      ...noFilter,
      'plain: usage that nobody told is not made up': 'it is a required field here',
    },
  },
  {
    id: 'groq:openai/gpt-oss-120b',
    wire: 'groq',
    thoughtBack: 'Bolts are counted.',
    reasoning: { none: { reasoning_effort: 'low' }, high: { reasoning_effort: 'high' } },
    skips: noRefusals,
  },
  {
    id: 'groq:llama-3.3-70b-versatile',
    wire: 'groq',
    thoughtBack: 'Bolts are counted.',
    reasoning: { none: {}, high: { reasoning_effort: 'high' } },
    skips: noRefusals,
  },
  {
    id: 'xai:grok-4.3',
    wire: 'xai',
    thoughtBack: '"sealed"',
    reasoning: { none: { reasoning: { effort: 'none' } }, high: { reasoning: { effort: 'high' } } },
    cache: cacheKey,
    skips: {
      ...noRefusals,
      'plain: a filtered answer ends with the filter': 'its package does not read why an answer is incomplete',
    },
  },
  {
    id: 'deepseek:deepseek-v4-flash',
    wire: 'deepseek',
    thoughtBack: 'Bolts are counted.',
    reasoning: thinking,
    skips: noRefusals,
  },
  {
    id: 'alibaba:qwen-plus',
    wire: 'alibaba',
    thoughtBack: 'Bolts are counted.',
    reasoning: { none: { enable_thinking: false }, high: { enable_thinking: true } },
    skips: noRefusals,
  },
  {
    id: 'moonshotai:kimi-k2.5',
    wire: 'moonshotai',
    thoughtBack: 'Bolts are counted.',
    reasoning: thinking,
    cache: cacheKey,
    skips: noRefusals,
  },
  { id: 'zhipu:glm-4.7', wire: 'zhipu', thoughtBack: 'Bolts are counted.', reasoning: thinking },
  {
    id: 'openrouter:anthropic/claude-sonnet-4.6',
    wire: 'openrouter',
    thoughtBack: '"signed"',
    reasoning: { none: { reasoning: { enabled: false } }, high: { reasoning: { effort: 'high' } } },
    cache: /"cache_control"/,
    skips: bothWays('a refusal ends with the filter', 'its package does not read the field'),
  },
  {
    id: 'ollama:qwen3:4b',
    wire: 'ollama',
    usage: { cached: undefined, reasoning: undefined },
    thoughtBack: 'Bolts are counted.',
    reasoning: { none: { think: false }, high: { think: true } },
    skips: { ...objectArguments, ...noRefusals, ...noFilter },
  },
  { id: 'lmstudio:qwen3-4b', wire: 'lmstudio', thoughtBack: 'Bolts are counted.', reasoning: effort },
  { id: 'llamacpp:qwen3-4b', wire: 'llamacpp', thoughtBack: 'Bolts are counted.', reasoning: template },
  { id: 'vllm:mistralai/Devstral-Small-2', wire: 'vllm', thoughtBack: 'Bolts are counted.', reasoning: template },
  { id: 'openai-compatible:some-model', wire: 'compatible', thoughtBack: 'Bolts are counted.', reasoning: effort },
];

describe.each(cases)('$id', ({ id, wire, sceneSkips, ...facts }) => {
  languageModelContract(id, {
    open: (scene) => open(id, play(scene)),
    ...(sceneSkips && { skips: sceneSkips }),
  });

  vendorWireContract({ ...facts, open: (replies, options) => open(id, replies, options?.reasoning) });

  test('is asked where its vendor listens', async () => {
    const { model, requests } = await open(id, [{ type: 'text', text: 'here' }]);
    await model.doGenerate({ prompt: [userMessage('Who?')] });
    expect(requests.map(({ vendor }) => vendor)).toEqual([wire]);
  });
});

test.each([
  ['openai', 'v1'],
  ['anthropic', 'v1'],
  ['google', 'v1beta'],
  ['mistral', 'mistral/v1'],
  ['bedrock', 'bedrock'],
])('without the adapter %s refuses the same request', async (prefix, path) => {
  script = () => ({ type: 'text', text: 'ok' });
  server.requests.length = 0;
  const vendor = vendors.find((known) => known.prefix === prefix)!;
  const env = vendorEnvironment(server.url);
  const connection = { modelId: vendor.defaultModel, baseUrl: `${server.url}/${path}`, apiKey: 'test-key', env };
  const tools = [{ type: 'function' as const, name: 'stock.look up', inputSchema: { type: 'object' as const } }];
  const options = { prompt: [userMessage('How many?')], tools };
  await expect((await vendor.create(connection)).doGenerate(options)).rejects.toThrow(/invalid tool name/);
  await (await resolveModel(`${prefix}:${vendor.defaultModel}`, { env })).doGenerate(options);
  expect(server.requests.map(({ refused }) => refused !== undefined)).toEqual([true, false]);
});
