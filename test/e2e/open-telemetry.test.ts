/** Real agents, the real SDK and exporter, and a collector on loopback that reads what is sent. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import type { Result } from '../../src/core/result.ts';
import {
  calculator,
  defineAgent,
  inMemoryLessons,
  lessons,
  planAndSolve,
  reflexion,
  searchDocs,
  selfConsistency,
  sqliteHost,
  tool,
  verification,
} from '../../src/index.ts';
import { parseScript, type ScriptRule } from '../../src/model/providers/script-model.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { type ScriptedReply, scriptedModel } from '../../src/testing/testing.ts';
import { type OtlpExportOptions, otlpExport } from '../../src/trace/open-telemetry/otlp-export.ts';
import { type ReceivedSpan, type Receiver, startReceiver } from './otlp-receiver.ts';

const example = join(import.meta.dirname, '../../examples/price-desk');
const task = 'SKU-42, 37 units at ten percent off: what is the total?';

let folder = '';
let receiver: Receiver;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-otel-'));
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The model of the example, which also reports what it used. */
function priceDeskModel() {
  const file = join(example, 'script.json');
  const metered = (reply: ScriptedReply): ScriptedReply => ({
    ...(typeof reply === 'string' ? { text: reply } : reply),
    usage: { inputTokens: 100, outputTokens: 7, cachedTokens: 30 },
  });
  const rules = parseScript(readFileSync(file, 'utf8'), file) as ScriptRule[];
  return scriptedModel(
    rules.map((rule) => ({ ...rule, reply: metered(rule.reply) })),
    { modelId: 'gpt-script' },
  );
}

/** Plan, tools, verification, refinement, lessons: the whole pipeline, with its sink. */
async function priceDesk(
  options: OtlpExportOptions = {},
): Promise<{ result: Result; warnings: string[]; closedIn: number }> {
  const warnings: string[] = [];
  const agent = defineAgent({
    model: priceDeskModel(),
    prices: { 'gpt-script': { inputPerMillion: 1, outputPerMillion: 2 } },
    tools: [calculator(), searchDocs(join(example, 'docs/en'))],
    layers: [lessons({ store: inMemoryLessons() }), verification(), planAndSolve()],
    sinks: [await otlpExport({ endpoint: receiver.endpoint, ...options })],
    onWarning: (warning) => warnings.push(warning),
  });
  const result = await agent.run(task);
  const began = performance.now();
  await agent.close();
  return { result, warnings, closedIn: performance.now() - began };
}

/** Every span but the root has a parent that was sent too, within whose time it is; no id is there twice. */
function checkTree(spans: readonly ReceivedSpan[]): ReceivedSpan {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
  expect(roots.map(({ name }) => name)).toEqual(['invoke_agent assay']);
  for (const span of spans) {
    expect(span.traceId).toBe(roots[0]!.traceId);
    expect(span.end >= span.start, span.name).toBe(true);
    if (span.parentSpanId === '') continue;
    const parent = byId.get(span.parentSpanId);
    expect(parent && parent.start <= span.start && span.end <= parent.end, span.name).toBe(true);
  }
  return roots[0]!;
}

const named = (name: string): ReceivedSpan[] => receiver.spans.filter((span) => span.name.startsWith(name));
const total = (spans: readonly ReceivedSpan[], attribute: string): number =>
  spans.reduce((sum, { attributes }) => sum + Number(attributes[attribute] ?? 0), 0);
const parentOf = (span: ReceivedSpan | undefined): string | undefined =>
  receiver.spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name;

test('the spans of a whole run show its layers, and their tokens add up to what the Result says', async () => {
  const { result } = await priceDesk({ serviceName: 'desk' });
  expect(result.status).toBe('revised');
  const root = checkTree(receiver.spans);
  expect(root.resource['service.name']).toBe('desk');
  const chats = named('chat ');
  const { usage } = result;
  for (const spans of [chats, [root]]) {
    expect(total(spans, 'gen_ai.usage.input_tokens')).toBe(usage.inputTokens);
    expect(total(spans, 'gen_ai.usage.output_tokens')).toBe(usage.outputTokens);
    expect(total(spans, 'gen_ai.usage.cache_read.input_tokens')).toBe(usage.cachedTokens);
    expect(total(spans, 'assay.usage.usd')).toBeCloseTo(usage.usd, 9);
  }
  expect(usage.cachedTokens).toBeGreaterThan(0);
  expect(chats).toHaveLength(usage.modelCalls);
  expect(named('execute_tool ')).toHaveLength(usage.toolCalls);
  const rolesUnder = (name: string): Set<unknown> =>
    new Set(chats.filter((chat) => parentOf(chat) === name).map(({ attributes }) => attributes['assay.role']));
  expect(rolesUnder('plan')).toEqual(new Set(['planner']));
  expect(rolesUnder('verify')).toEqual(new Set(['verifier']));
  expect(rolesUnder('refine')).toEqual(new Set(['actor']));
  expect(new Set(named('verify.answers').map(parentOf))).toEqual(new Set(['verify']));
  expect(named('execute_tool ').some((span) => parentOf(span) === 'refine')).toBe(true);
  expect(root.events.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['assay.lesson.recalled', 'assay.plan.updated', 'assay.lesson.admitted']),
  );
  expect(chats.every(({ kind, attributes }) => kind === 3 && attributes['gen_ai.provider.name'] === 'scripted')).toBe(
    true,
  );
});

test('no text of the task, the tools, the plan or the answer is sent, unless it may be', async () => {
  const { result } = await priceDesk();
  const texts = [
    task,
    result.answer ?? 'no answer',
    'Find the unit price',
    'SKU-42 unit price',
    '37 * 129',
    'Lantern & Rope',
    ...result.attempt.claims.map(({ text }) => text),
    ...result.attempt.reports.flatMap(({ issues }) => issues.map(({ detail }) => detail)),
  ];
  const sent = (text: string): boolean => receiver.bodies.some((body) => body.includes(text));
  expect(texts.filter(sent)).toEqual([]);
  receiver.bodies.length = 0;
  await priceDesk({ captureContent: true });
  expect(texts.slice(0, 6).filter((text) => !sent(text) && !sent(JSON.stringify(text).slice(1, -1)))).toEqual([]);
});

test('the metrics have the names, units and boundaries of the conventions and the sums of the run', async () => {
  const { result } = await priceDesk();
  const sum = (metric: string, attribute: string, value: string): number =>
    receiver.points.reduce(
      (all, point) => (point.metric === metric && point.attributes[attribute] === value ? all + point.sum : all),
      0,
    );
  const tokens = 'gen_ai.client.token.usage';
  expect(sum(tokens, 'gen_ai.token.type', 'input')).toBe(result.usage.inputTokens);
  expect(sum(tokens, 'gen_ai.token.type', 'output')).toBe(result.usage.outputTokens);
  expect(sum('assay.runs', 'assay.run.status', 'revised')).toBe(1);
  expect(sum('assay.tool.calls', 'assay.tool.outcome', 'ok')).toBe(result.usage.toolCalls);
  expect(sum('assay.cost.usd', 'gen_ai.request.model', 'gpt-script')).toBeCloseTo(result.usage.usd, 9);
  const about = new Map(receiver.points.map(({ metric, unit, bounds }) => [metric, [unit, bounds[0], bounds.at(-1)]]));
  expect(about.get('gen_ai.client.operation.duration')).toEqual(['s', 0.01, 81.92]);
  expect(about.get(tokens)).toEqual(['{token}', 1, 67_108_864]);
  const duration = receiver.points.find(({ metric }) => metric === 'gen_ai.client.operation.duration');
  expect(Number(duration?.count)).toBe(result.usage.modelCalls);
});

test('trials and samples are spans that hold what was done in them', async () => {
  let answers = 0;
  const model = scriptedModel((_, { role }) => {
    if (role === 'actor') return callFinal(answers++ < 2 ? 'wrong' : 'right');
    return JSON.stringify({ diagnosis: 'it guessed', plan: ['count first'] });
  });
  const agent = defineAgent({
    model,
    layers: [
      reflexion({
        trials: 2,
        evaluator: {
          name: 'known',
          knows: 'tests',
          evaluate: async ({ answer }) => ({ pass: answer === 'right', score: 0, feedback: 'not so' }),
        },
      }),
      selfConsistency({ samples: 2 }),
    ],
    sinks: [await otlpExport({ endpoint: receiver.endpoint })],
  });
  const { answer, usage } = await agent.run('how many?');
  await agent.close();
  expect(answer).toBe('right');
  const root = checkTree(receiver.spans);
  const trials = named('trial-');
  expect(trials.map(({ name, attributes }) => [name, attributes['assay.trial.pass']])).toEqual([
    ['trial-1', false],
    ['trial-2', true],
  ]);
  expect(trials.map(parentOf)).toEqual([root.name, root.name]);
  expect(
    named('samples')
      .map((span) => [span.name, parentOf(span)])
      .sort(),
  ).toEqual([
    ['samples/0', 'trial-1'],
    ['samples/0', 'trial-2'],
    ['samples/1', 'trial-1'],
    ['samples/1', 'trial-2'],
  ]);
  expect(named('chat ')).toHaveLength(usage.modelCalls);
  const placed = named('chat ').map((chat) => [chat.attributes['assay.role'], parentOf(chat)?.split('/')[0]]);
  expect(placed.filter(([role]) => role === 'actor')).toEqual(Array(4).fill(['actor', 'samples']));
  expect(placed.filter(([role]) => role === 'reflector')).toEqual([['reflector', 'trial-1']]);
  expect(trials[0]?.events.map(({ name }) => name)).toContain('assay.vote.made');
});

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ sum: z.number() }),
  effect: 'irreversible',
  run: async () => 'paid',
});

test('a run that waits for a human and goes on in another agent is one trace without anything twice', async () => {
  const model = scriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool') ? callFinal('done') : callTool('pay', { sum: 7 }),
  );
  const agent = async () =>
    defineAgent({
      model,
      tools: [pay],
      host: sqliteHost({ file: join(folder, 'runs.db'), suspendAfterMs: 5, pollMs: 20 }),
      sinks: [await otlpExport({ endpoint: receiver.endpoint })],
    });
  const first = await agent();
  const waiting = await first.run('pay seven', { runId: 'r' });
  expect(waiting.status).toBe('awaiting_approval');
  const [signal = ''] = (await first.host.info('r'))?.waitingFor ?? [];
  await first.close();
  const part = named('invoke_agent')[0];
  expect(part?.attributes).toMatchObject({ 'assay.run.status': 'awaiting_approval', 'assay.run.part': true });
  const second = await agent();
  await second.decide('r', signal, { approved: true });
  const { usage } = await second.resume('r');
  await second.close();
  const root = checkTree(receiver.spans);
  expect(part?.parentSpanId).toBe(root.spanId);
  expect(named('chat ')).toHaveLength(usage.modelCalls);
  expect(named('execute_tool ')).toHaveLength(1);
  expect(root.events.map(({ name }) => name)).toContain('assay.approval.decided');
});

/** One process at work on the run; it is killed once it says `at` and its two model calls have arrived. */
function live(at?: string): Promise<string> {
  const variables = {
    OTEL_STORE: join(folder, 'runs.db'),
    OTEL_RUN: 'r',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-project=desk',
    OTEL_SERVICE_NAME: 'worker',
    ...(at !== undefined && { OTEL_HANG: /\d/.exec(at)?.[0] }),
  };
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'open-telemetry-worker.ts')], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  worker.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const watch = setInterval(() => {
    if (at !== undefined && output.includes(at) && named('chat ').length === 2) worker.kill('SIGKILL');
  }, 10);
  return new Promise((resolve) => {
    worker.once('close', () => {
      clearInterval(watch);
      resolve(output);
    });
  });
}

test('a run whose process is killed is one trace with one root when another has ended it', async () => {
  await live('page 2');
  expect(named('chat ')).toHaveLength(2);
  expect(named('invoke_agent')).toEqual([]);
  const [, modelCalls, toolCalls] = /ended (\d+) (\d+)/.exec(await live()) ?? [];
  const root = checkTree(receiver.spans);
  expect([named('chat ').length, named('execute_tool ').length]).toEqual([Number(modelCalls), Number(toolCalls)]);
  expect(named('chat ')).toHaveLength(4);
  expect(root.resource['service.name']).toBe('worker');
  expect(receiver.headers.every((headers) => headers['x-project'] === 'desk')).toBe(true);
});

test('a collector that is not there changes nothing about the run and is told once, within a bound', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const { result, warnings, closedIn } = await priceDesk({ endpoint: `http://127.0.0.1:${port}`, timeoutMs: 1_000 });
  expect(result.status).toBe('revised');
  expect(closedIn).toBeLessThan(2_000);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/'otlp' failed.*did not reach the OTLP collector.*ECONNREFUSED/s);
});

test('a collector that never answers holds up neither the run nor its closing', async () => {
  const silent = await startReceiver(() => {});
  const { result, warnings, closedIn } = await priceDesk({ endpoint: silent.endpoint, closeMs: 300, timeoutMs: 600 });
  await silent.close();
  expect(result.status).toBe('revised');
  expect(closedIn).toBeLessThan(1_000);
  expect(warnings[0]).toMatch(/did not answer within 300 ms/);
});

test('a protocol it does not speak is refused with what to do', async () => {
  process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'grpc';
  try {
    await expect(otlpExport()).rejects.toThrow(/OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'.*provider of your own/s);
  } finally {
    delete process.env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  }
});
