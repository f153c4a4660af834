/** A real agent behind a real server on loopback, for the tests of the server. */

import * as z from 'zod';
import { type Agent, type AgentOptions, defineAgent } from '../../src/agent.ts';
import { type ScriptedModel, scriptedModel } from '../../src/model/providers/script-model.ts';
import type { DurableHost } from '../../src/runtime/durable.ts';
import { sqliteHost } from '../../src/runtime/sqlite.ts';
import { type Listening, type ListenOptions, listen } from '../../src/server/listen.ts';
import { type AssayServer, createServer } from '../../src/server/server.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { sqliteRunIndex } from '../../src/server/sqlite-run-index.ts';
import { react } from '../../src/solver/react/react.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { type Tool, tool } from '../../src/tools/tool.ts';
import { type SqliteEventStore, sqliteEvents } from '../../src/trace/event-store.ts';

/** Turns of a task that says `N turns`, each with a pause of this many milliseconds. */
const pauseMs = 40;

/**
 * Decides by the prompt alone, so that it says the same after a restart: `N turns` looks N times, `note TEXT` saves a note, which needs an
 * approval, `fail` breaks, everything else is answered at once.
 */
export function plainModel(): ScriptedModel {
  return scriptedModel(({ prompt }) => {
    const turn = prompt.filter(({ role }) => role === 'assistant').length;
    const asked = JSON.stringify(prompt.filter(({ role }) => role === 'user')[0]);
    const turns = Number(/(\d+) turns/.exec(asked)?.[1] ?? 0);
    if (turn < turns) return { ...callTool('look', { at: turn }), text: `turn ${turn}`, delayMs: pauseMs };
    const note = /note (\w+)/.exec(asked)?.[1];
    if (note !== undefined && turn === 0) return callTool('saveNote', { text: note });
    if (asked.includes('fail')) throw new Error('the model broke');
    return callFinal(`answer to ${/task-[\w-]+/.exec(asked)?.[0] ?? 'it'}`);
  });
}

export const look: Tool = tool({
  name: 'look',
  description: 'Looks at a place.',
  input: z.object({ at: z.number() }),
  effect: 'read',
  run: async ({ at }) => `place ${at} is empty`,
});

export function plainAgent(options: { host: DurableHost; events: SqliteEventStore } & Partial<AgentOptions>): Agent {
  const { events, ...more } = options;
  const saveNote = tool({
    name: 'saveNote',
    description: 'Saves a note.',
    input: z.object({ text: z.string() }),
    effect: 'write',
    run: async ({ text }) => `saved ${text}`,
  });
  return defineAgent({
    model: plainModel(),
    tools: [look, saveNote],
    solver: react({ maxSteps: 400 }),
    budget: { modelCalls: 1_000, toolCalls: 1_000, tokens: 10_000_000 },
    sinks: [events.sink()],
    ...more,
  });
}

export interface TestServer {
  server: AssayServer;
  listening: Listening;
  agent: Agent;
  url: string;
  errors: unknown[];
  close(): Promise<void>;
}

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'agent'>> {
  file: string;
  listen?: ListenOptions;
  agentOptions?: Partial<AgentOptions>;
  /** More agents on the same host, by name. */
  others?(shared: { host: DurableHost; events: SqliteEventStore }): Readonly<Record<string, Agent>>;
}

export async function startServer({
  file,
  listen: where,
  agentOptions,
  others,
  ...more
}: TestServerOptions): Promise<TestServer> {
  const store = sqliteEvents({ file });
  const host = sqliteHost({ file, suspendAfterMs: 50 });
  const agent = plainAgent({ host, events: store, ...agentOptions });
  const errors: unknown[] = [];
  const server = createServer({
    agent,
    events: store,
    index: sqliteRunIndex({ file }),
    onError: (error) => errors.push(error),
    ...(others && { agents: others({ host, events: store }) }),
    ...more,
  });
  await server.resumeInterrupted();
  const listening = await listen(server, { graceMs: 200, ...where });
  return {
    server,
    listening,
    agent,
    url: listening.url,
    errors,
    close: async () => {
      await listening.close();
      store.close();
    },
  };
}

/** JSON as a test reads it: by keys it expects. */
export interface Data {
  [key: string]: Data;
}

/** A JSON array. */
export function listOf(data: Data | undefined): Data[] {
  if (!Array.isArray(data)) throw new Error(`no list: ${JSON.stringify(data)}`);
  return data;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Data;
}

/** One request with a JSON body or none; the answer as JSON where it is some. */
export async function call(
  url: string,
  options: { method?: string; body?: unknown; token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { method = options.body === undefined ? 'GET' : 'POST', body, token, headers } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

export interface Frame {
  id?: string;
  event?: string;
  data: Data;
}

/** The frames of an event stream as they come; it ends with the stream or when the signal says so. */
export async function* framesOf(
  url: string,
  options: { after?: string | undefined; token?: string; signal?: AbortSignal } = {},
): AsyncGenerator<Frame> {
  const { after, token, signal } = options;
  const response = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      ...(after !== undefined && { 'last-event-id': after }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(signal && { signal }),
  });
  if (response.status !== 200 || !response.body) return;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data === undefined) continue;
      const id = field('id');
      const event = field('event');
      yield { data: JSON.parse(data), ...(id !== undefined && { id }), ...(event !== undefined && { event }) };
    }
  }
}

/** Polls until it gives something. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, ms = 10_000): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('it did not come in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
