/**
 * An HTTP service of our own as the knowledge source: it listens on loopback, and the agent may reach it and nothing else. `--model ID`
 * asks a real model. In a project of your own the imports are `from 'assay'` and `from 'assay/testing'`.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { calculator, defineAgent, http, verification } from '../../src/index.ts';
import { type ScriptRule, scriptedModel } from '../../src/testing/testing.ts';

const harbour = { name: 'harbour', boardings: '/stops/harbour/boardings' };
const lines = [
  { id: 'coast', name: 'Coast Line', stops: [harbour, { name: 'lighthouse' }, { name: 'dunes' }] },
  { id: 'valley', name: 'Valley Line', stops: [{ name: 'market' }, { name: 'mill' }, harbour] },
];
const hours = [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
const counts = [41, 118, 96, 52, 47, 61, 88, 73, 55, 64, 102, 131, 77, 39];

/** What the service knows, by path. */
const pages: Record<string, unknown> = {
  '/lines': lines.map(({ id, name }) => ({ id, name, href: `/lines/${id}` })),
  ...Object.fromEntries(lines.map((line) => [`/lines/${line.id}`, line])),
  [harbour.boardings]: {
    stop: 'harbour',
    unit: 'passengers an hour',
    hours: hours.map((hour, index) => ({ from: `${hour}:00`, boardings: counts[index] })),
  },
};

const { values } = parseArgs({ options: { model: { type: 'string' } } });
console.log(`model: ${values.model ?? 'scripted (its replies are written in script.json; the requests are real)'}`);

const server = await listening();
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
try {
  await ask();
} finally {
  server.close();
}

async function ask(): Promise<void> {
  const agent = defineAgent({
    model: values.model ?? scripted(),
    tools: [
      calculator(),
      http({
        allow: [{ url: origin, private: true }],
        methods: { POST: false, PUT: false, PATCH: false, DELETE: false },
      }),
    ],
    layers: [verification({ verifier: false })],
  });
  const run = agent.run(
    `A transport service answers at ${origin}; ${origin}/lines lists its lines. The stop where both lines meet: how many passengers board there between 16:00 and 18:00?`,
  );
  for await (const event of run) {
    if (event.type === 'tool.call') console.log(`  ${event.observation}: ${event.tool} ${JSON.stringify(event.args)}`);
  }
  const result = await run;
  await agent.close();
  console.log(`${result.status}: ${result.answer ?? result.reason.detail}`);
  const { observations } = result.attempt;
  const longest = observations.toSorted((a, b) => b.content.length - a.content.length)[0];
  console.log(`steps of the loop: ${result.metrics.turns}, tool calls: ${result.metrics.toolCalls}`);
  if (longest)
    console.log(
      `longest observation: ${longest.id}, ${longest.content.length} characters, from ${JSON.stringify(longest.args)}`,
    );
}

async function listening(): Promise<Server> {
  const made = createServer((request, response) => {
    const page = pages[request.url ?? '/'];
    response.writeHead(page ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(page ?? { error: `there is nothing at ${request.url}` }));
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return made;
}

/** The script names the service where it listens now. */
function scripted(): ReturnType<typeof scriptedModel> {
  const text = readFileSync(new URL('script.json', import.meta.url), 'utf8').replaceAll('ORIGIN', origin);
  // Our own file, in the format of script files.
  return scriptedModel((JSON.parse(text) as { rules: ScriptRule[] }).rules);
}
