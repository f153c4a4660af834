/**
 * The embedded model, without a model: the tiny file that is run here has weights written by hand and is no language model. So the figures
 * show what everything around a model costs, and a real one adds its own arithmetic. Exits 1 when two steps with a tool take half a second
 * or more. `node bench/local-model.ts [--no-install]`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { userMessage } from '../src/core/transcript.ts';
import { defineAgent, inMemoryHost, tool } from '../src/index.ts';
import { ChildEngine } from '../src/model/local/child-engine.ts';
import { LlamaEngine } from '../src/model/local/llama-engine.ts';
import type { LocalEngine, ReadProgress } from '../src/model/local/local-engine.ts';
import { localModel } from '../src/model/local/local-model.ts';
import { writeTinyModel } from '../src/testing/tiny-model.ts';
import { installedBytes, installOnDemand } from './local-model/install-size.ts';
import { tinySettings } from './local-model/tiny-settings.ts';
import { median, printTable, timed } from './measure.ts';

const mostMs = 500;
const rounds = 20;
const { values } = parseArgs({ options: { 'no-install': { type: 'boolean', default: false } } });

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-local-'));
const file = join(folder, 'tiny.gguf');
writeTinyModel(file);
console.log('The tiny model: weights written by hand, 0.6 MB, one layer. No language model; it says one sentence.');
try {
  await printInstall();
  printColdStart();
  const loops: [name: string, ms: number[]][] = [];
  for (const [name, engine] of [
    ['in this process', new LlamaEngine(tinySettings(file))],
    ['in a process of its own', new ChildEngine(tinySettings(file))],
  ] as const) {
    loops.push([name, await twoSteps(engine)]);
    await printSpeed(name, engine);
    await engine.close();
  }
  process.exitCode = printLoops(loops);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function printInstall(): Promise<void> {
  const { library, build, buildBytes } = installedBytes();
  const onDemand = values['no-install'] ? 'not asked for' : await installOnDemand();
  printTable('installation', [
    ['the library, on disk', megabytes(library)],
    [`its build for ${build}, on disk`, megabytes(buildBytes)],
    ...(typeof onDemand === 'string'
      ? [['on demand', `skipped: ${onDemand}`]]
      : [
          ['on demand, fetched', megabytes(onDemand.fetched)],
          ['on demand, on disk with what they need', megabytes(onDemand.written)],
          ['on demand, ms', onDemand.ms],
        ]),
  ]);
}

function printColdStart(): void {
  const script = fileURLToPath(new URL('local-model/cold-start.ts', import.meta.url));
  const runs = Array.from({ length: 5 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', script, file], { encoding: 'utf8' });
    if (stdout === '') throw new Error(`The cold start failed: ${stderr}`);
    return JSON.parse(stdout) as { importing: number; loading: number; rss: number };
  });
  printTable('a new process, ms (median of 5)', [
    ['import of the library', median(runs.map(({ importing }) => importing))],
    ['start of llama.cpp, file, context, chat template', median(runs.map(({ loading }) => loading))],
    ['resident memory', megabytes(median(runs.map(({ rss }) => rss)))],
  ]);
}

/** A run of an agent: a call, the tool, the answer. The first one loads the model and is not counted. */
async function twoSteps(engine: LocalEngine): Promise<number[]> {
  const stock = tool({
    name: 'count_stock',
    description: 'Counts items in a store.',
    input: z.object({ item: z.string() }),
    effect: 'read',
    run: ({ item }) => ({ item, count: 21 }),
  });
  const model = localModel(engine, { modelId: 'tiny', traits: { small: true } });
  const agent = defineAgent({ model, tools: [stock], layers: [], host: inMemoryHost() });
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    let steps: number | undefined;
    const ms = await timed(async () => {
      const { attempt } = await agent.run('How many bolts are there?');
      steps = attempt.observations.length + (attempt.ended.type === 'final' ? 1 : 0);
    });
    if (steps !== 2) throw new Error(`a run took ${steps} steps, and it has to be 2`);
    if (round > 0) times.push(ms);
  }
  return times;
}

async function printSpeed(name: string, engine: LocalEngine): Promise<void> {
  const model = localModel(engine, { modelId: 'tiny' });
  const long = (start: string) => [userMessage(`${start} ${'the quick brown fox '.repeat(700)}`)];
  const read = await speedOf(model.doGenerate({ prompt: long('read'), maxOutputTokens: 1 }), 'inputTokens');
  const list = { type: 'array', items: { type: 'string' }, minItems: 300 } as const;
  const writing = model.doGenerate({
    prompt: [userMessage('Hi')],
    responseFormat: { type: 'json', schema: list },
    maxOutputTokens: 600,
  });
  const written = await speedOf(writing, 'outputTokens');
  const aborts: number[] = [];
  for (let round = 0; round < 10; round++) aborts.push(await abortMs(engine, long(`${round}`)));
  printTable(`${name}: one thread of the tiny model`, [
    ['prompt, tokens/s', read],
    ['answer held to JSON, tokens/s', written],
    ['abort of a prompt that is being read, until the next call is answered, ms: median', median(aborts)],
    ['worst of 10', Math.max(...aborts)],
  ]);
}

async function speedOf(
  call: PromiseLike<{
    usage: { inputTokens: { noCache: number | undefined }; outputTokens: { total: number | undefined } };
  }>,
  counted: 'inputTokens' | 'outputTokens',
): Promise<number> {
  let tokens = 0;
  const ms = await timed(async () => {
    const { usage } = await call;
    tokens = (counted === 'inputTokens' ? usage.inputTokens.noCache : usage.outputTokens.total) ?? 0;
  });
  return (tokens / ms) * 1_000;
}

/** From an abort in the middle of a prompt until the same engine has answered another call. */
async function abortMs(engine: LocalEngine, prompt: ReturnType<typeof userMessage>[]): Promise<number> {
  const controller = new AbortController();
  const begun = Promise.withResolvers<void>();
  const onReadProgress = ({ read, total }: ReadProgress): void => {
    if (read > total / 10) begun.resolve();
  };
  const reading = localModel(engine, { modelId: 'tiny', onReadProgress }).doGenerate({
    prompt,
    abortSignal: controller.signal,
  });
  await begun.promise;
  return await timed(async () => {
    controller.abort();
    await Promise.allSettled([reading]);
    await localModel(engine, { modelId: 'tiny' }).doGenerate({ prompt: [userMessage('Hi')], maxOutputTokens: 1 });
  });
}

function printLoops(loops: readonly [name: string, ms: number[]][]): number {
  printTable(`two steps of an agent with a tool, after load, ms (${rounds} runs; less than ${mostMs} wanted)`, [
    ['', 'median', 'worst'],
    ...loops.map(([name, ms]) => [name, median(ms), Math.max(...ms)]),
  ]);
  const slow = loops.filter(([, ms]) => median(ms) >= mostMs);
  for (const [name, ms] of slow) console.log(`FAILED: ${name}, two steps take ${median(ms).toFixed(0)} ms`);
  return slow.length > 0 ? 1 : 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
