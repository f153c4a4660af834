/** The server of the benchmark in a process of its own, so that its memory is its own: journal, events and index in one SQLite file. */
import * as z from 'zod';
import { defineAgent } from '../../src/agent.ts';
import { sqliteHost } from '../../src/runtime/sqlite.ts';
import { listen } from '../../src/server/listen.ts';
import type { Mount } from '../../src/server/mount.ts';
import { createServer } from '../../src/server/server.ts';
import { sqliteRunIndex } from '../../src/server/sqlite-run-index.ts';
import { tool } from '../../src/tools/tool.ts';
import { sqliteEvents } from '../../src/trace/event-store.ts';

const [file = ''] = process.argv.slice(2);

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ at: z.string() }),
  effect: 'read',
  run: async ({ at }) => `${at}: ${'Mars has two moons, Phobos and Deimos. '.repeat(8)}`,
});
const callText = '{"type":"tool","tool":"look","args":{"at":"mars"},"reason":"to know"}';
const finalText =
  '{"type":"final","answer":"two","claims":[{"text":"Mars has two moons","evidence":[{"observation":"obs-1","quote":"Mars has two moons"}]}]}';

const events = sqliteEvents({ file });
const agent = defineAgent({
  model: async (_system, user) => (user.includes('Phobos') ? finalText : callText),
  tools: [look],
  host: sqliteHost({ file }),
  sinks: [events.sink()],
});
/** What is live after a collection, and what the system gave the process; what it has used of a processor. */
const memory: Mount = {
  methods: ['GET'],
  path: '/bench/memory',
  summary: 'Memory and processor time',
  scope: 'metrics',
  handle() {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    return Response.json({ ...process.memoryUsage(), cpuMs: (user + system) / 1_000 });
  },
};
const server = createServer({
  agent,
  events,
  index: sqliteRunIndex({ file }),
  mounts: [memory],
  limits: { requestsPerMinute: 1_000_000 },
  onError: (error) => console.error(error),
});
const { url, closed } = await listen(server, { signals: ['SIGTERM'] });
console.log(url);
await closed;
events.close();
