import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report } from '../core/attempt.ts';
import type { EventBody, RunEvent } from '../core/event.ts';
import { noUsage } from '../core/usage.ts';
import { idsOf } from './open-telemetry/run-ids.ts';
import { type OpenTelemetryOptions, openTelemetry, RunIdGenerator } from './open-telemetry.ts';

/** Long before this process began, as for a run that is resumed. */
const epoch = Date.UTC(2020, 0, 1);

/** Events of one run, numbered as a run numbers them. */
function recorder(run = 'run-1'): {
  add(body: EventBody, at: number, place?: { path?: string; live?: boolean }): RunEvent;
} {
  const counts = new Map<string, number>();
  return {
    add(body, at, { path = '', live = true } = {}) {
      const base = `${path}:${body.type}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      return { ...body, id: `${base}#${count}`, run, path, at: epoch + at, live };
    },
  };
}

const started: EventBody = {
  type: 'run.start',
  task: 'a secret task',
  model: 'gpt-x',
  layers: ['plan'],
  solver: 'react',
};
const spent = { ...noUsage, modelCalls: 1, inputTokens: 90, outputTokens: 10, cachedTokens: 40, tokens: 100, usd: 0.5 };
const ended: EventBody = {
  type: 'run.end',
  status: 'completed',
  reason: 'a secret reason',
  usage: spent,
  activeMs: 70,
};

function called(change: Partial<Extract<EventBody, { type: 'model.call' }>> = {}): EventBody {
  return {
    type: 'model.call',
    step: 'turn',
    role: 'actor',
    model: 'gpt-x',
    provider: 'script',
    prompt: { messages: 2, bytes: 100, fingerprint: 'abc' },
    outcome: 'reply',
    detail: 'tool-calls',
    usage: spent,
    ms: 20,
    ...change,
  };
}

const toolCalled: EventBody = {
  type: 'tool.call',
  tool: 'search',
  args: { query: 'a secret query' },
  observation: 'obs-1',
};
const returned: EventBody = {
  type: 'tool.result',
  tool: 'search',
  observation: 'obs-1',
  status: 'ok',
  chars: 9,
  preview: 'a secret result',
  ms: 10,
};

async function told(
  events: readonly RunEvent[],
  { foreign = false, ...options }: OpenTelemetryOptions & { foreign?: boolean } = {},
): Promise<ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const idGenerator = new RunIdGenerator();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const own = foreign ? {} : { idGenerator };
  const sink = await openTelemetry({
    tracerProvider: new TracerProvider({ spanProcessors, ...own }),
    ...own,
    ...options,
  });
  for (const event of events) await sink.write(event);
  await sink.close?.();
  return exporter.getFinishedSpans();
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0]!;
};
const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;
const timesOf = (span: ReadableSpan): [number, number] => [ms(span.startTime) - epoch, ms(span.endTime) - epoch];

const simpleRun = (): RunEvent[] => {
  const { add } = recorder();
  return [add(started, 0), add(called(), 30), add(toolCalled, 30), add(returned, 50), add(ended, 80)];
};

test('a run is an agent span with a chat and a tool span, timed by the journal', async () => {
  const spans = await told(simpleRun());
  const root = named(spans, 'invoke_agent assay');
  expect(spans.map(({ name }) => name)).toEqual(['chat gpt-x', 'execute_tool search', 'invoke_agent assay']);
  expect(root.parentSpanContext).toBeUndefined();
  expect(root.kind).toBe(SpanKind.INTERNAL);
  expect(root.status.code).toBe(SpanStatusCode.UNSET);
  expect(timesOf(root)).toEqual([0, 80]);
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'assay',
    'gen_ai.conversation.id': 'run-1',
    'gen_ai.provider.name': 'openai',
    'gen_ai.usage.input_tokens': 90,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.usage.cache_read.input_tokens': 40,
    'assay.run.status': 'completed',
    'openinference.span.kind': 'AGENT',
  });
  const chat = named(spans, 'chat gpt-x');
  expect([idOf(root), idOf(chat)]).toEqual([idsOf('run-1', 'run').spanId, idsOf('run-1', ':model.call#1').spanId]);
  expect(chat.kind).toBe(SpanKind.CLIENT);
  expect(chat.parentSpanContext?.spanId).toBe(idOf(root));
  expect(timesOf(chat)).toEqual([10, 30]);
  expect(chat.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-x',
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': 90,
    'assay.prompt.fingerprint': 'abc',
    'openinference.span.kind': 'LLM',
    'llm.token_count.total': 100,
    'llm.cost.total': 0.5,
  });
  const tool = named(spans, 'execute_tool search');
  expect(timesOf(tool)).toEqual([30, 40]);
  expect(tool.attributes).toMatchObject({
    'gen_ai.tool.name': 'search',
    'gen_ai.tool.call.id': 'obs-1',
    'tool.name': 'search',
  });
});

test('without the option no OpenInference attribute is set', async () => {
  for (const { attributes } of await told(simpleRun(), { openInference: false })) {
    for (const key of Object.keys(attributes)) expect(key).toMatch(/^(?:gen_ai|assay|error)\./);
  }
});

test('texts are told only where it is allowed', async () => {
  const quiet = JSON.stringify(
    (await told(simpleRun())).map(({ attributes, events, status }) => [attributes, events, status]),
  );
  expect(quiet).not.toContain('secret');
  const spans = await told(simpleRun(), { captureContent: true });
  const tool = named(spans, 'execute_tool search');
  expect(tool.attributes['gen_ai.tool.call.arguments']).toBe('{"query":"a secret query"}');
  expect(tool.attributes['gen_ai.tool.call.result']).toBe('a secret result');
  const root = named(spans, 'invoke_agent assay');
  expect(JSON.parse(String(root.attributes['gen_ai.input.messages']))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'a secret task' }] },
  ]);
});

test('the name of a tool that does not exist is a text of the model and not told', async () => {
  const { add } = recorder();
  const refused: EventBody = { type: 'tool.refused', tool: 'a secret name', why: 'secret', cause: 'invalid' };
  const root = named(await told([add(started, 0), add(refused, 1), add(ended, 2)]), 'invoke_agent assay');
  expect(root.events).toMatchObject([{ name: 'assay.tool.refused', attributes: { 'assay.refused': 'invalid' } }]);
  expect(JSON.stringify(root.events)).not.toContain('secret');
});

test('copies and replays of an event are told once or not at all', async () => {
  const events = simpleRun();
  expect(await told([...events.slice(0, 4), ...events.slice(0, 4), ...events])).toHaveLength(3);
  const replayed = events.map((event) => ({ ...event, live: false }));
  expect((await told(replayed)).map(({ name }) => name)).toEqual(['invoke_agent assay']);
});

test('the layers are spans: plan, verification with its questions, refinement', async () => {
  const { add } = recorder();
  const report: Report = { by: 'checks', knows: 'rules', verdict: 'revise', issues: [], needsMoreTools: false };
  const answered: EventBody = { type: 'answer.drafted', answer: 'x', claims: 0, degraded: false };
  const plan = { goal: 'g', constraints: [], givens: [], steps: [], effects: [] };
  const inQuestion = { path: 'verify.answers/0' };
  const spans = await told([
    add(started, 0),
    add(called({ step: 'plan', role: 'planner' }), 30),
    add({ type: 'plan.made', plan }, 30),
    add(called(), 60),
    add(answered, 60),
    add(called({ step: 'verify.questions', role: 'verifier' }), 90),
    add(called({ step: 'answer', role: 'verifier' }), 120, inQuestion),
    add({ type: 'verify.report', report }, 130),
    add({ type: 'refine.made', round: 1, issues: [], withTools: false }, 130),
    add(called({ step: 'refine' }), 160),
    add(answered, 165),
    add({ type: 'verify.report', report }, 170),
    add(called({ step: 'lessons.reflect', role: 'reflector' }), 200),
    add(ended, 210),
  ]);
  const root = named(spans, 'invoke_agent assay');
  const nameOf = new Map(spans.map((span) => [idOf(span), span.name]));
  const tree = spans.map((span) => [span.name, nameOf.get(span.parentSpanContext?.spanId ?? ''), ...timesOf(span)]);
  expect(tree).toEqual([
    ['chat gpt-x', 'plan', 10, 30],
    ['plan', root.name, 10, 30],
    ['chat gpt-x', root.name, 40, 60],
    ['chat gpt-x', 'verify', 70, 90],
    ['chat gpt-x', 'verify.answers/0', 100, 120],
    ['verify.answers/0', 'verify', 100, 120],
    ['verify', root.name, 70, 130],
    ['chat gpt-x', 'refine', 140, 160],
    ['refine', root.name, 130, 165],
    ['verify', root.name, 165, 170],
    ['chat gpt-x', root.name, 180, 200],
    ['invoke_agent assay', undefined, 0, 210],
  ]);
  expect(spans.find(({ name }) => name === 'verify')?.attributes['assay.verify.verdict']).toBe('revise');
});

test('a failed call, a call nothing was left for, and a run that was stopped say what went wrong', async () => {
  const { add } = recorder();
  const refused = called({ outcome: 'refused', detail: 'tokens', usage: noUsage, ms: 0 });
  const late = { ...returned, status: 'timeout' };
  const spans = await told([
    add(started, 0),
    add(called({ outcome: 'error', detail: 'a secret message' }), 30),
    add(late, 50),
    add(refused, 51),
    add({ ...ended, status: 'stopped' }, 60),
  ]);
  expect(spans).toHaveLength(3);
  const errors = spans.map(({ status, attributes }) => [status.code, status.message, attributes['error.type']]);
  expect(errors).toEqual([
    [SpanStatusCode.ERROR, undefined, 'model_error'],
    [SpanStatusCode.ERROR, undefined, 'timeout'],
    [SpanStatusCode.ERROR, undefined, 'stopped'],
  ]);
  expect(spans[2]?.events).toMatchObject([{ name: 'assay.limit', attributes: { 'assay.limit': 'tokens' } }]);
});

test('a process that closes before the run ends leaves a part, and the next one writes the spans that were open', async () => {
  const { add } = recorder();
  const trial: EventBody = { type: 'trial.start', trial: 1, reflections: [] };
  const judged = { type: 'trial.end', trial: 1, by: 'e', knows: 'tests', pass: true, score: 1, feedback: '' } as const;
  const inTrial = { path: 'trial-1' };
  const asked: EventBody = { type: 'approval.requested', signal: 's', tool: 'pay', args: {}, why: '' };
  const before = [add(started, 0), add(trial, 1, inTrial), add(called(), 30, inTrial), add(asked, 31, inTrial)];
  const first = await told(before);
  const decided: EventBody = { type: 'approval.decided', signal: 's', approved: true, reason: '' };
  const after = [
    add(decided, 9_000, inTrial),
    add(returned, 9_020, inTrial),
    add(judged, 9_021, inTrial),
    add(ended, 9_022),
  ];
  const second = await told([...before.map((event) => ({ ...event, live: false })), ...after]);
  expect(first.map(({ name }) => name)).toEqual(['chat gpt-x', 'invoke_agent assay']);
  expect(first[1]?.attributes).toMatchObject({ 'assay.run.status': 'awaiting_approval', 'assay.run.part': true });
  expect(second.map(({ name }) => name)).toEqual(['execute_tool search', 'trial-1', 'invoke_agent assay']);
  const both = [...first, ...second];
  expect(new Set(both.map(idOf)).size).toBe(both.length);
  expect(new Set(both.map((span) => span.spanContext().traceId))).toEqual(new Set([idsOf('run-1', '').traceId]));
  const [tool, place, root] = second;
  expect(first[0]?.parentSpanContext?.spanId).toBe(idOf(place!));
  expect(first[1]?.parentSpanContext?.spanId).toBe(idOf(root!));
  expect(tool?.parentSpanContext?.spanId).toBe(idOf(place!));
  expect(timesOf(root!)).toEqual([0, 9_022]);
});

test('what another process began and ended is not written again', async () => {
  const { add } = recorder();
  const trial = (number: number, at: number, live: boolean): RunEvent[] => {
    const place = { path: `trial-${number}`, live };
    return [add({ type: 'trial.start', trial: number, reflections: [] }, at, place), add(called(), at + 30, place)];
  };
  const spans = await told([
    add(started, 0),
    ...trial(1, 1, false),
    ...trial(2, 50, false),
    ...trial(3, 100, true),
    add(ended, 150),
  ]);
  // The start of the third trial ended the second one here.
  expect(spans.map(({ name }) => name)).toEqual(['trial-2', 'chat gpt-x', 'trial-3', 'invoke_agent assay']);
});

test('a provider with ids of its own gets the trace id of the run too, and its open spans end at close', async () => {
  const events = simpleRun();
  const first = await told(events.slice(0, 3), { foreign: true });
  const second = await told(
    events.map((event, index) => ({ ...event, live: index > 2 })),
    { foreign: true },
  );
  expect(first.map(({ name }) => name)).toEqual(['chat gpt-x', 'invoke_agent assay']);
  expect(first[1]?.attributes['assay.run.status']).toBe('unfinished');
  expect(second.map(({ name }) => name)).toEqual(['execute_tool search', 'invoke_agent assay']);
  const traces = new Set([...first, ...second].map((span) => span.spanContext().traceId));
  expect(traces).toEqual(new Set([idsOf('run-1', '').traceId]));
});

test('the conversation is what the caller says, and the provider too', async () => {
  const [chat] = await told(simpleRun(), { conversationId: (run) => `of ${run}`, providerOf: () => 'azure.ai.openai' });
  expect(chat?.attributes).toMatchObject({
    'gen_ai.conversation.id': 'of run-1',
    'gen_ai.provider.name': 'azure.ai.openai',
  });
  const [other] = await told(simpleRun(), { conversationId: 'c-1' });
  expect(other?.attributes['gen_ai.conversation.id']).toBe('c-1');
});

test('whatever the order of facts, no span begins before its parent, ends after it, or has the id of another', async () => {
  const body = fc.constantFrom<EventBody[]>(
    called(),
    called({ role: 'planner' }),
    called({ role: 'verifier' }),
    toolCalled,
    returned,
    { type: 'refine.made', round: 1, issues: [], withTools: true },
    { type: 'answer.drafted', answer: 'x', claims: 0, degraded: false },
    { type: 'plan.failed', why: '' },
    { type: 'verify.report', report: { by: 'c', knows: 'rules', verdict: 'pass', issues: [], needsMoreTools: false } },
    { type: 'run.warning', why: '' },
  );
  const path = fc.constantFrom('', 'trial-1', 'trial-2', 'trial-2/samples/0', 'trial-2/samples/1', 'verify.answers/0');
  const fact = fc.record({ body, path, at: fc.integer({ min: 0, max: 300 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(fact, { maxLength: 30 }), async (facts) => {
      const { add } = recorder();
      const events = facts.toSorted((a, b) => a.at - b.at).map((each) => add(each.body, each.at, { path: each.path }));
      const spans = await told([add(started, 0), ...events, add(ended, 300)]);
      const byId = new Map(spans.map((span) => [idOf(span), span]));
      expect(byId.size).toBe(spans.length);
      const chats = spans.filter(({ name }) => name === 'chat gpt-x').length;
      expect(chats).toBe(events.filter(({ type }) => type === 'model.call').length);
      for (const span of spans) {
        const [from, to] = timesOf(span);
        expect(from).toBeLessThanOrEqual(to);
        if (span.name === 'invoke_agent assay') continue;
        const parent = timesOf(byId.get(span.parentSpanContext?.spanId ?? '')!);
        expect(from).toBeGreaterThanOrEqual(parent[0]);
        expect(to).toBeLessThanOrEqual(parent[1]);
      }
    }),
    { numRuns: 200 },
  );
});
