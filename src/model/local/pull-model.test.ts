import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeHub, type FakeHubOptions, startFakeHub } from '../../testing/fake-hub.ts';
import { modelsFolder } from './cache-folder.ts';
import { getStream } from './http-stream.ts';
import { hubFile } from './hub.ts';
import { pinsFile } from './model-pins.ts';
import { findLocalModel, installedModels, localModelRow, localModels } from './models-table.ts';
import { type PullOptions, pullModel, removeModel } from './pull-model.ts';

const row = localModelRow('qwen3-0.6b');
const content = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(300_000, 'weights ')]);

let cache: string;
let hub: FakeHub;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'assay-models-'));
});
afterEach(async () => {
  await hub?.close();
  rmSync(cache, { recursive: true });
});

async function open(options: Partial<FakeHubOptions> = {}): Promise<void> {
  hub = await startFakeHub({ content, ...options });
  env = { ASSAY_CACHE: cache, HF_ENDPOINT: hub.url };
}

const pull = (more: Partial<PullOptions> = {}) => pullModel(row, { env, waitMs: 1, ...more });
const target = () => join(modelsFolder(env), row.file);

describe('pulling a model', () => {
  it('fetches it once, checks it, and tells how far it is', async () => {
    await open();
    const seen: number[] = [];
    const first = await pull({ onProgress: ({ done, total }) => seen.push(done / (total ?? 0)) });
    expect(first).toMatchObject({ file: target(), bytes: content.length, trust: 'hub', already: false });
    expect(readFileSync(target()).equals(content)).toBe(true);
    expect(seen.at(-1)).toBe(1);
    expect(await pull()).toMatchObject({ sha256: first.sha256, already: true });
    expect(hub.requests).toHaveLength(1);
    expect(installedModels(env).map(({ row: { name } }) => name)).toEqual([row.name]);
    expect(findLocalModel(row.name, env)).toEqual({ file: target(), row });
  });

  it('goes on where a dropped connection stopped', async () => {
    await open({
      faults: [
        { type: 'cut', after: 100_000 },
        { type: 'cut', after: 50_000 },
      ],
    });
    await pull();
    expect(readFileSync(target()).equals(content)).toBe(true);
    const begins = hub.requests.map(({ range }) => Number(/\d+/.exec(range ?? '0')));
    expect(begins[0]).toBe(0);
    expect(begins[1]).toBeGreaterThan(0);
    expect(begins[2]).toBeGreaterThan(begins[1]!);
  });

  it('goes on in the next process with what an interrupted one left', async () => {
    await open({ faults: [{ type: 'cut', after: 100_000 }] });
    const stop = new AbortController();
    const aborted = pull({
      signal: stop.signal,
      waitMs: 60_000,
      onProgress: ({ done }) => void (done > 50_000 && setTimeout(() => stop.abort(), 60)),
    });
    await expect(aborted).rejects.toThrow();
    expect(existsSync(target())).toBe(false);
    await pull();
    expect(hub.requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
  });

  it('begins anew when the file was replaced in between', async () => {
    await open({ faults: [{ type: 'cut', after: 100_000 }] });
    const other = Buffer.concat([content, Buffer.from('more')]);
    let cuts = 0;
    await pull({ onProgress: ({ done }) => void (done > 90_000 && cuts++ === 0 && hub.replace(other)) });
    expect(readFileSync(target()).equals(other)).toBe(true);
  });

  it('begins anew where what serves the bytes tells no versions apart', async () => {
    await open({ hasVersions: false, faults: [{ type: 'cut', after: 100_000 }] });
    await pull();
    expect(readFileSync(target()).equals(content)).toBe(true);
    expect(hub.requests.map(({ range }) => range)).toEqual([undefined, undefined]);
  });

  it('takes no range of another place', async () => {
    await open({ tells: false, faults: [{ type: 'cut', after: 100_000 }, { type: 'misplaced' }] });
    await pull();
    expect(readFileSync(target()).equals(content)).toBe(true);
  });

  it('finishes what had come whole before the process ended', async () => {
    await open();
    await pull();
    renameSync(target(), `${target()}.part`);
    const url = `${hub.url}/${row.repo}/resolve/main/${row.file}`;
    writeFileSync(`${target()}.part.json`, JSON.stringify({ url, etag: `"${hash('md5', content)}"` }));
    expect(await pull()).toMatchObject({ bytes: content.length, already: false });
    expect(hub.requests.at(-1)?.range).toBe(`bytes=${content.length}-`);
  });

  it('gives up a connection that stays open and says nothing, and goes on over another', async () => {
    await open({
      faults: [
        { type: 'silent', after: 0 },
        { type: 'silent', after: 100_000 },
      ],
    });
    await pull({ silentMs: 300 });
    expect(readFileSync(target()).equals(content)).toBe(true);
    expect(hub.requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
  });

  it('waits for a slow server as long as something comes', async () => {
    await open({ faults: [{ type: 'slow', pieces: 5, everyMs: 100 }] });
    const seen = new Set<number>();
    await pull({ silentMs: 400, onProgress: ({ done }) => void seen.add(done) });
    expect(seen.size).toBeGreaterThan(3);
    expect(hub.requests).toHaveLength(1);
  });

  it.each([content.length - 10, content.length + 10])(
    'deletes a file of another size than was announced (%d)',
    async (claimsBytes) => {
      await open({ claimsBytes });
      await expect(pull()).rejects.toThrow(`${content.length} bytes, and ${claimsBytes} were announced`);
      expect(existsSync(target())).toBe(false);
      expect(existsSync(`${target()}.part`)).toBe(false);
    },
  );

  it('says with numbers that there is no room, before anything comes', async () => {
    await open({ claimsBytes: 8_000_000_000_000_000 });
    await expect(pull()).rejects.toThrow(/8000000\.0 GB are to come, and .* has room for .*ASSAY_CACHE/s);
    expect(existsSync(`${target()}.part`)).toBe(false);
  });

  it.each([401, 403])(
    'names the page of the licence and the mirrors when the hub answers with HTTP %d',
    async (refuses) => {
      await open({ refuses });
      await expect(pull()).rejects.toThrow(new RegExp(`HTTP ${refuses}.*${row.repo} and set HF_TOKEN.*--from`, 's'));
      expect(hub.asked).toHaveLength(1);
    },
  );

  it('is not led from a safe address to one that is not', async () => {
    await open();
    await expect(getStream(`${hub.url}/x`, { env: {}, headers: {} })).resolves.toMatchObject({ status: 200 });
    const led = createServer((_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end());
    await new Promise<void>((resolve) => led.listen(0, '127.0.0.1', resolve));
    const address = led.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    await expect(getStream(url, { env: {}, headers: {} })).rejects.toThrow('cannot be taken from safely');
    led.close();
  });

  it.each([404, 410])('asks once and gives up for HTTP %d, with the remedy', async (status) => {
    await open({ faults: [{ type: 'status', status }] });
    await expect(pull()).rejects.toThrow(/HTTP 4\d\d.*--from/s);
    expect(hub.requests).toHaveLength(1);
  });

  it('tries again when the server is overloaded, and says what is kept when it gives up', async () => {
    await open({ faults: [{ type: 'status', status: 503 }] });
    const why: string[] = [];
    await pull({ onRetry: (text) => void why.push(text) });
    expect(why).toEqual([expect.stringContaining('HTTP 503')]);
    removeModel(row, env);
    await hub.close();
    await expect(pull()).rejects.toThrow(/cannot be downloaded.*--file PATH/s);
  });

  it('deletes what is not what the hub said', async () => {
    await open({ claims: 'a'.repeat(64) });
    await expect(pull()).rejects.toThrow(/SHA-256.*deleted/s);
    expect(existsSync(target())).toBe(false);
    expect(existsSync(`${target()}.part`)).toBe(false);
  });

  it('refuses a web page that a hub sends in place of the file', async () => {
    await open({ content: Buffer.from('<html>please log in</html>') });
    await expect(pull()).rejects.toThrow('web page');
    expect(existsSync(target())).toBe(false);
  });

  it('trusts the first download and holds later ones to it', async () => {
    await open({ tells: false });
    expect(await pull()).toMatchObject({ trust: 'none' });
    removeModel(row, env);
    expect(await pull()).toMatchObject({ trust: 'first-download' });
    removeModel(row, env);
    hub.replace(Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(300_000, 'forged! ')]));
    await expect(pull()).rejects.toThrow(`kept in ${pinsFile(env)}`);
    expect(existsSync(target())).toBe(false);
  });

  it('remembers what a file was that somebody put there by hand', async () => {
    await open();
    mkdirSync(modelsFolder(env));
    writeFileSync(target(), content);
    expect(await pull()).toMatchObject({ trust: 'none', already: true });
    expect(await pull()).toMatchObject({ trust: 'first-download', already: true });
    expect(hub.requests).toEqual([]);
  });

  it('sees that a file was changed after it came', async () => {
    await open();
    await pull();
    writeFileSync(target(), Buffer.concat([content, Buffer.from('x')]));
    await expect(pull()).rejects.toThrow(/has changed.*assay models remove/s);
  });

  it('takes a file that was got by other means, but not another one', async () => {
    await open();
    const given = join(cache, 'given.gguf');
    writeFileSync(given, content);
    expect(await pull({ file: given })).toMatchObject({ trust: 'none', already: false });
    removeModel(row, env);
    writeFileSync(given, Buffer.concat([content, Buffer.from('x')]));
    await expect(pull({ file: given })).rejects.toThrow(/is not .*--model local:/s);
    writeFileSync(given, 'text');
    await expect(pull({ file: given })).rejects.toThrow('no model file');
    expect(hub.requests).toEqual([]);
  });

  it('is done by one process at a time', async () => {
    await open();
    const both = await Promise.allSettled([pull(), pull()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    removeModel(row, env);
    await pull();
  });

  it('goes through a proxy, where the running Node can', async () => {
    await open();
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '');
      const to = new URL(request.url ?? '');
      const socket = connect(Number(to.port), to.hostname, () => {
        socket.write(`GET ${to.pathname}${to.search} HTTP/1.1\r\nhost: ${to.host}\r\nconnection: close\r\n\r\n`);
        socket.pipe(request.socket);
      });
      socket.on('error', () => response.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    env['HTTP_PROXY'] = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    await pull();
    expect(asked).toHaveLength(2);
    env['NO_PROXY'] = '127.0.0.1';
    removeModel(row, env);
    await pull();
    expect(asked).toHaveLength(2);
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe('where a model comes from', () => {
  const url = (from?: string, given: NodeJS.ProcessEnv = {}) => hubFile(row, given, from).url;
  it.each([
    ['the hub', undefined, {}, `https://huggingface.co/${row.repo}/resolve/main/${row.file}`],
    [
      'another endpoint',
      undefined,
      { HF_ENDPOINT: 'http://hub.test/x/' },
      `http://hub.test/x/${row.repo}/resolve/main/${row.file}`,
    ],
    [
      'a mirror',
      'hf-mirror',
      { HF_ENDPOINT: 'http://hub.test' },
      `https://hf-mirror.com/${row.repo}/resolve/main/${row.file}`,
    ],
    ['ModelScope', 'modelscope', {}, `https://modelscope.cn/models/${row.repo}/resolve/master/${row.file}`],
    ['a hub of its own', 'https://models.test', {}, `https://models.test/${row.repo}/resolve/main/${row.file}`],
    ['the file itself', 'https://files.test/a.gguf', {}, 'https://files.test/a.gguf'],
  ])('is %s', (_, from, given, expected) => {
    expect(url(from, given)).toBe(expected);
  });

  it('gets the token only where it belongs', () => {
    const given = { HF_TOKEN: 'hf_secret' };
    expect(hubFile(row, given).headers).toEqual({ authorization: 'Bearer hf_secret' });
    expect(hubFile(row, given, 'modelscope').headers).toEqual({});
  });

  it('keeps the token from the host that a hub redirects to', async () => {
    await open();
    env['HF_TOKEN'] = 'hf_secret';
    await pull();
    expect(hub.requests[0]).toMatchObject({ authorization: undefined, path: expect.stringContaining('by=token') });
  });

  it('refuses what is no source, and an unknown name with the names there are', () => {
    expect(() => url('ftp://x')).toThrow('modelscope');
    expect(() => localModelRow('qwen3-4')).toThrow('Did you mean qwen3-4b?');
  });

  it('has a table whose rows have names of their own', () => {
    expect(new Set(localModels.map(({ name }) => name)).size).toBe(localModels.length);
    expect(new Set(localModels.map(({ file }) => file)).size).toBe(localModels.length);
  });
});
