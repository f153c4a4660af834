/** A model on every machine: what `assay doctor` and `assay models` say on one with nothing, with Ollama (simulated), with a key; pulling. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localModelRow } from '../../src/model/local/models-table.ts';
import { type FakeHub, startFakeHub } from '../../src/testing/fake-hub.ts';
import { freePorts } from '../../src/testing/restate-server.ts';
import { tinyModelBytes } from '../../src/testing/tiny-model.ts';
import { Desk } from './cli-process.ts';

let desk: Desk;
let hub: FakeHub | undefined;
let server: Server | undefined;
beforeEach(() => {
  desk = new Desk();
});
afterEach(async () => {
  await hub?.close();
  hub = undefined;
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  desk.remove();
});

/** Nothing listens there: what runs on a developer's machine is left out. */
const nobody = 'http://127.0.0.1:9/v1';
const alone = {
  OLLAMA_HOST: 'http://127.0.0.1:9',
  LMSTUDIO_BASE_URL: nobody,
  LLAMACPP_BASE_URL: nobody,
  VLLM_BASE_URL: nobody,
};
const small = localModelRow('qwen3-0.6b');

/** Ollama's list and facts of a model, as much as is asked for here. */
async function simulatedOllama(contextTokens: number): Promise<string> {
  server = createServer((request, response) => {
    const details = { parameter_size: '4.0B', family: 'qwen3' };
    const facts = {
      details,
      capabilities: ['completion', 'tools'],
      model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': contextTokens },
    };
    const answers: Record<string, unknown> = {
      '/api/tags': { models: [{ name: 'qwen3:4b', details }] },
      '/api/show': facts,
      '/api/ps': { models: [] },
    };
    const answer = answers[request.url ?? ''];
    request.resume();
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

describe('assay doctor', () => {
  test('on a machine with nothing names what to do', async () => {
    const { code, stdout } = await desk.assay(['doctor'], { env: alone });
    expect(code).toBe(1);
    expect(stdout).toMatch(/model +✗ none found/);
    expect(stdout).toContain('assay models pull');
  });

  test('with Ollama only (simulated) takes its model, and tells its size and mode', async () => {
    const env = { ...alone, OLLAMA_HOST: await simulatedOllama(40_960) };
    const { code, stdout } = await desk.assay(['doctor'], { env });
    expect(stdout).toMatch(/model +✓ ollama:qwen3:4b \(Ollama answers at/);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/small-model mode: .*context [\d,]+ tokens/);
    expect(code).toBe(0);
  });

  test('warns where the context is too short', async () => {
    const env = { ...alone, OLLAMA_HOST: await simulatedOllama(4_096) };
    const { code, stdout } = await desk.assay(['doctor'], { env });
    expect(code).toBe(1);
    expect(stdout.replace(/\s+/g, ' ')).toContain('OLLAMA_CONTEXT_LENGTH');
  });

  test('with a key is content and shows none of it', async () => {
    const { code, stdout } = await desk.assay(['doctor'], {
      env: { ...alone, ANTHROPIC_API_KEY: 'sk-ant-very-secret' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/model +✓ anthropic:claude/);
    expect(stdout).not.toContain('very-secret');
  });

  test('sees that a pulled file is none', async () => {
    const env = { ...alone, ASSAY_CACHE: join(desk.folder, 'cache') };
    const file = desk.write('web.gguf', '<html>');
    const pulled = await desk.assay(['models', 'pull', small.name, '--file', file], { env });
    expect(pulled.stderr).toContain('web page');
    expect(pulled.code).not.toBe(0);
  });
});

describe('assay models pull', () => {
  const env = () => ({ ...alone, ASSAY_CACHE: join(desk.folder, 'cache'), HF_ENDPOINT: hub?.url ?? '' });

  test('fetches a model over dropped connections, and a run then uses it', async () => {
    hub = await startFakeHub({ content: Buffer.from(tinyModelBytes()), faults: [{ type: 'cut', after: 200_000 }] });
    const pulled = await desk.assay(['models', 'pull', small.name], { env: env() });
    expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining(`local:${small.name} is ready`) });
    expect(pulled.stdout).toContain('as the hub says');
    expect(hub.requests.length).toBeGreaterThan(1);
    const listed = await desk.assay(['models'], { env: env() });
    expect(listed.stdout).toMatch(/model +local:qwen3-0\.6b \(its file was pulled\)/);
    const run = await desk.assay(['run', 'hello', '--solver', 'direct', '--layers', 'none'], {
      env: { ...env(), ASSAY_LOCAL_THREADS: '1', ASSAY_LOCAL_GPU: 'off' },
    });
    expect(run.stderr).toContain(`local:${small.name}`);
    // The hand-made model answers every schema with this word.
    expect(run.stdout).toMatch(/^tiny\n/);
    expect(run.stdout).toContain('1 model call');
    const removed = await desk.assay(['models', 'remove', small.name], { env: env() });
    expect(removed.stdout).toContain('is removed');
  }, 60_000);

  test('an interrupted one keeps what came', async () => {
    hub = await startFakeHub({
      content: Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(2_000_000)]),
      faults: [{ type: 'silent', after: 0 }],
    });
    const pulling = desk.start(['models', 'pull', small.name], { env: env() });
    const deadline = Date.now() + 15_000;
    while (hub.requests.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    pulling.child.kill('SIGINT');
    await pulling.says('goes on with it');
    expect((await pulling.ended).code).toBe(130);
  });

  test('an unknown name is told with the names there are', async () => {
    const { code, stderr } = await desk.assay(['models', 'pull', 'qwen3-5b'], { env: alone });
    expect(code).toBe(2);
    expect(stderr).toContain('qwen3-4b');
  });
});

describe('assay run without a model', () => {
  test('names the command where no human can be asked', async () => {
    const { code, stderr } = await desk.assay(['run', 'hello'], { env: alone });
    expect(code).toBe(2);
    expect(stderr).toContain('assay models pull');
    expect(stderr).not.toContain('Download it now');
  });

  test('offers one at a terminal, with size, licence and time, and takes a no', async (context) => {
    if (!existsSync('/usr/bin/script')) context.skip('there is no `script` here to make a terminal');
    const entry = join(import.meta.dirname, '../../bin/assay.js');
    const typescript = join(desk.folder, 'screen.txt');
    writeFileSync(
      join(desk.folder, 'ask.sh'),
      `#!/bin/sh\nexec script -qec "'${process.execPath}' '${entry}' run hello" '${typescript}'\n`,
    );
    const { spawn } = await import('node:child_process');
    const shell = spawn('sh', [join(desk.folder, 'ask.sh')], {
      cwd: desk.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: desk.folder, TERM: 'xterm', ...alone },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let screen = '';
    shell.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString('utf8');
      if (screen.includes('Download it now?')) shell.stdin.end('n\n');
    });
    const code = await new Promise((resolve) => shell.on('close', resolve));
    const shown = readFileSync(typescript, 'utf8').replace(/\s+/g, ' ');
    expect(shown).toMatch(/qwen3-(?:4b, about 2\.5 GB|0\.6b, about 400 MB).*Apache-2\.0.*about \d+ (?:min|s)/);
    expect(shown).toContain('No model is available');
    expect(code).toBe(2);
  });
});

test('a server runs a local model in a process of its own, which may die', async (context) => {
  if (process.platform !== 'linux') context.skip('the processes of a process are looked up in /proc');
  const file = join(desk.folder, 'tiny.gguf');
  writeFileSync(file, tinyModelBytes());
  const [port = 0] = await freePorts(1);
  const serving = desk.start(
    ['serve', '--port', String(port), '--json', '--model', `local:${file}`, '--solver', 'direct', '--layers', 'none'],
    { env: { ...alone, ASSAY_LOCAL_THREADS: '1', ASSAY_LOCAL_GPU: 'off' } },
  );
  await serving.says('"resumed"');
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/runs?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ task: 'hello' }),
    });
    return (await response.json()) as { answer?: string };
  };
  expect((await ask()).answer).toBe('tiny');
  const { pid } = serving.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  expect(children).toHaveLength(1);
  process.kill(Number(children[0]), 'SIGKILL');
  expect((await ask()).answer).toBe('tiny');
  serving.child.kill('SIGTERM');
  await serving.ended;
}, 60_000);
