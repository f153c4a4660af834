import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { schemaProblems } from '../checks/json-schema.ts';
import { Budget } from '../core/budget.ts';
import type { Json, JsonSchema } from '../core/json.ts';
import { inMemoryHost } from '../runtime/in-memory.ts';
import { createRun } from '../solver/run.ts';
import { startVendorServer, type VendorReply, type VendorServer, vendorEnvironment } from '../testing/vendor-server.ts';
import { defaultPolicy, permitOf } from '../tools/policy/policy.ts';
import { type Asked, ask } from './ask.ts';
import { resolveModel } from './resolve.ts';
import { asList, asSchema } from './wire/json-schema.ts';

/** A dialect may let more through than the question allows: what comes back is held to the question. */

let server: VendorServer;
let replies: VendorReply[] = [];
beforeAll(async () => {
  const none: VendorReply = { type: 'http-error', status: 500, message: 'the script has no reply left' };
  server = await startVendorServer({ script: () => replies.shift() ?? none });
});
afterAll(() => server.close());

const Code = z.object({ code: z.string().min(3).max(5), unit: z.string().optional() });

async function question(id: string): Promise<Asked<z.infer<typeof Code>> | undefined> {
  const model = await resolveModel(id, { env: vendorEnvironment(server.url) });
  const host = inMemoryHost();
  let asked: Asked<z.infer<typeof Code>> | undefined;
  host.register({
    name: 'ask',
    version: 1,
    run: async (durable) => {
      const services = {
        model: () => model,
        priceOf: () => 'free' as const,
        redact: (text: string) => text,
        redactJson: <T>(value: T): T => value,
        tools: new Map(),
        policy: defaultPolicy,
        permit: permitOf(defaultPolicy, undefined),
        stream: false,
        sink: () => {},
      };
      const run = createRun(durable, { services, budget: new Budget({ modelCalls: 5 }), kept: {} });
      asked = await ask(run, { step: 'q', role: 'planner', system: 'Answer.', prompt: 'Which code?', schema: Code });
    },
  });
  await host.start('ask', 'run', null);
  await host.result('run');
  return asked;
}

/** The schema that was sent, wherever the vendor wants it; undefined where it is in the text only. */
function sentSchema(value: Json): JsonSchema | undefined {
  const schema = asSchema(value);
  if (schema && asSchema(asSchema(schema['properties'])?.['code'])) return schema;
  const inside = schema ? Object.values(schema) : asList(value);
  return inside.map(sentSchema).find((found) => found !== undefined);
}

const ids: [id: string, dialect: 'looser' | 'as it is' | 'in the text'][] = [
  ['openai:gpt-5-mini', 'looser'],
  ['azure:mine', 'looser'],
  ['anthropic:claude-sonnet-4-6', 'looser'],
  ['google:gemini-2.5-flash', 'looser'],
  ['bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'looser'],
  ['bedrock:us.amazon.nova-pro-v1:0', 'as it is'],
  ['mistral:mistral-medium-latest', 'looser'],
  ['groq:openai/gpt-oss-120b', 'looser'],
  ['groq:llama-3.3-70b-versatile', 'in the text'],
  ['xai:grok-4.3', 'looser'],
  ['deepseek:deepseek-v4-flash', 'in the text'],
  ['alibaba:qwen-plus', 'in the text'],
  ['alibaba:qwen3.7-plus', 'as it is'],
  ['moonshotai:kimi-k2.5', 'looser'],
  ['zhipu:glm-4.7', 'in the text'],
  ['openrouter:openai/gpt-5-mini', 'looser'],
  ['ollama:qwen3:4b', 'looser'],
  ['lmstudio:m', 'looser'],
  ['llamacpp:m', 'looser'],
  ['vllm:m', 'looser'],
  ['openai-compatible:m', 'looser'],
];

test.each(ids)('%s is told the schema (%s), and what it does not forbid goes back as an error', async (id, dialect) => {
  server.requests.length = 0;
  const long = { code: 'much too long', unit: null };
  const text = JSON.stringify(long);
  replies = [
    { type: 'text', text },
    { type: 'text', text: '{"code":"abcd","unit":null}' },
  ];
  expect(await question(id)).toEqual({ ok: true, value: { code: 'abcd' } });
  const [first, second] = server.requests;
  expect(server.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
  const sent = sentSchema(first!.body);
  const allows = sent && schemaProblems({ code: long.code }, { ...sent, required: ['code'] }).length === 0;
  expect(sent === undefined ? 'in the text' : allows ? 'looser' : 'as it is').toBe(dialect);
  expect(JSON.stringify(second!.body)).toContain('Too big');
});
