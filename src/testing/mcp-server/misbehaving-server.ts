/**
 * An MCP server on standard input and output for tests: it does what servers should not. Its first argument is a `Behaviour` as
 * JSON; what a call does follows from the name of the tool. It writes JSON-RPC by hand, since no library would.
 */
import { createInterface } from 'node:readline';
import type { Json, JsonSchema } from '../../core/json.ts';

export interface Behaviour {
  /** What `tools/list` says; entries may be anything. */
  tools: Json[];
  /** What it says after a call of `change`. */
  later?: Json[];
  /** Whether a change is told with a notification. Default true. */
  tells?: boolean;
  /** What happens before the first message is read. */
  start?: 'exit' | 'silent' | 'noise';
}

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: JsonSchema; requestId?: number };
  result?: Json;
  error?: Json;
}

const behaviour = JSON.parse(process.argv[2] ?? '{"tools":[]}') as Behaviour;
let tools = behaviour.tools;
const cancelled: number[] = [];
const waiting = new Map<string, (answer: Message) => void>();

function write(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function notify(method: string, params: JsonSchema = {}): void {
  write({ jsonrpc: '2.0', method, params });
}

function text(said: string): JsonSchema {
  return { content: [{ type: 'text', text: said }] };
}

function ask(method: string): Promise<Message> {
  const id = `ask-${waiting.size}`;
  const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
  write({ jsonrpc: '2.0', id, method, params: {} });
  return answer;
}

const calls: Record<
  string,
  (args: JsonSchema, id: number | string) => Promise<JsonSchema | undefined> | JsonSchema | undefined
> = {
  echo: (args) => text(JSON.stringify(args)),
  env: () => text(JSON.stringify(process.env)),
  pid: () => text(String(process.pid)),
  cancelled: () => text(JSON.stringify(cancelled)),
  hang: () => undefined,
  change: () => {
    tools = behaviour.later ?? tools;
    if (behaviour.tells ?? true) notify('notifications/tools/list_changed');
    return text('changed');
  },
  noise: () => {
    process.stdout.write(
      'Listening on stdio\n[1,2\n\n{"level":"info"}\n{"jsonrpc":"2.0","id":9999,"result":{}}\n\xff\xfe\n',
    );
    return text('quiet again');
  },
  raw: (args, id) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${String(args['raw'])}}\n`);
    return undefined;
  },
  fail: (args, id) => {
    write({ jsonrpc: '2.0', id, error: { code: args['code'], message: 'the quota is used up' } });
    return undefined;
  },
  big: (args) => text('x'.repeat(Number(args['length']))),
  twice: (_args, id) => {
    write({ jsonrpc: '2.0', id, result: text('the first answer') });
    return text('the second answer');
  },
  die: () => {
    process.stderr.write('fatal: the disk is full\n');
    setTimeout(() => process.exit(3), 50);
    return undefined;
  },
  flood: () => {
    for (let n = 0; n < 20_000; n++) {
      notify('notifications/tools/list_changed');
      notify('notifications/message', { level: 'info', data: 'x' });
      write({ jsonrpc: '2.0', id: `ping-${n}`, method: 'ping' });
    }
    return text('flooded');
  },
  asks: async () => {
    const answers = await Promise.all(['sampling/createMessage', 'elicitation/create', 'roots/list'].map(ask));
    return text(JSON.stringify(answers.map(({ result, error }) => ({ result, error }))));
  },
};

async function answer(message: Message): Promise<void> {
  const { id, method, params } = message;
  if (method === undefined) return waiting.get(String(id))?.(message);
  if (method === 'notifications/cancelled') cancelled.push(params?.requestId ?? -1);
  if (id === undefined) return;
  let result: JsonSchema | undefined;
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } };
    result = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'misbehaving', version: '0' } };
  } else if (method === 'tools/list') result = { tools };
  else if (method === 'tools/call') {
    const run = calls[params?.name ?? ''] ?? calls['echo'];
    result = await run?.(params?.arguments ?? {}, id);
  }
  if (result) write({ jsonrpc: '2.0', id, result });
}

if (behaviour.start === 'exit') {
  process.stderr.write('no licence found\n');
  process.exit(7);
}
if (behaviour.start === 'noise') process.stdout.write('Server ready on stdio\nwarning: old node\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  if (behaviour.start !== 'silent') void answer(JSON.parse(line) as Message);
});
