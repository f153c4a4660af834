import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../agent.ts';
import { scriptedModel } from '../../../model/providers/script-model.ts';
import { InMemoryJournals, inMemoryHost } from '../../../runtime/in-memory.ts';
import { callFinal, callTool } from '../../../testing/replies.ts';
import type { Tool } from '../../tool.ts';
import { type FilesOptions, files } from '../files.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(content: Record<string, string | Uint8Array> = {}) {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-change-')));
  made.push(root);
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return { root, text: (name: string) => readFileSync(path.join(root, name), 'utf8') };
}

function toolOf(root: string, name: string, options: FilesOptions = {}): Tool {
  return files(root, { write: true, ...options }).find((each) => each.name === name) as Tool;
}

function contextOf(signal: AbortSignal = new AbortController().signal) {
  return { idempotencyKey: 'k', attempt: 1, signal };
}

async function run(tool: Tool, args: unknown, signal?: AbortSignal): Promise<string> {
  return String(await tool.run(tool.input.parse(args), contextOf(signal)));
}

const digestOf = (said: string, which = 0) => [...said.matchAll(/sha256 ([0-9a-f]{16})/g)][which]?.[1] ?? '';

describe('writeFile', () => {
  it('creates a file with the folders it needs, and only a new one', async () => {
    const { root, text } = folder();
    const tool = toolOf(root, 'writeFile');
    const args = { path: 'log/2031/may.md', mode: 'create', content: 'a\n' };
    expect(await run(tool, args)).toMatch(/^log\/2031\/may\.md: 2 bytes \(sha256 [0-9a-f]{16}\) written; it is new$/);
    await expect(run(tool, { ...args, content: 'b' })).rejects.toThrow('exists: use mode overwrite');
    expect(text('log/2031/may.md')).toBe('a\n');
  });

  it('overwrites only what exists, keeps its permissions, and says what it replaced', async () => {
    const { root, text } = folder({ 'run.sh': 'old' });
    chmodSync(path.join(root, 'run.sh'), 0o750);
    const tool = toolOf(root, 'writeFile');
    const before = digestOf(await run(toolOf(root, 'readFile'), { path: 'run.sh' }));
    const said = await run(tool, { path: 'run.sh', mode: 'overwrite', content: 'newer' });
    expect(said).toContain(`it had 3 bytes (sha256 ${before})`);
    expect(text('run.sh')).toBe('newer');
    expect(statSync(path.join(root, 'run.sh')).mode & 0o777).toBe(0o750);
    await expect(run(tool, { path: 'x/y', mode: 'overwrite', content: '' })).rejects.toThrow('not found');
    await expect(run(tool, { path: 'y', mode: 'overwrite', content: '' })).rejects.toThrow('use mode create');
    expect(readdirSync(root)).toEqual(['run.sh']);
  });

  it('appends, and makes the file when there is none', async () => {
    const { root, text } = folder({ 'wide.txt': Buffer.from('\ufeffa', 'utf16le') });
    const tool = toolOf(root, 'writeFile');
    for (const content of ['one\n', 'two\n']) await run(tool, { path: 'd/log', mode: 'append', content });
    expect(text('d/log')).toBe('one\ntwo\n');
    await expect(run(tool, { path: 'wide.txt', mode: 'append', content: 'x' })).rejects.toThrow('no UTF-8');
  });

  it('refuses a lost update', async () => {
    const { root, text } = folder({ 'a.txt': 'one' });
    const expectSha256 = digestOf(await run(toolOf(root, 'readFile'), { path: 'a.txt' }));
    writeFileSync(path.join(root, 'a.txt'), 'someone else');
    for (const name of ['a.txt', 'missing.txt', 'no/folder.txt']) {
      for (const mode of ['overwrite', 'append']) {
        const args = { path: name, mode, content: 'two', expectSha256 };
        await expect(run(toolOf(root, 'writeFile'), args)).rejects.toThrow(/expected|not found|does not exist/);
      }
    }
    await expect(
      run(toolOf(root, 'editFile'), { path: 'a.txt', oldText: 's', newText: '', expectSha256 }),
    ).rejects.toThrow('expected');
    await expect(run(toolOf(root, 'deleteFile'), { path: 'a.txt', expectSha256 })).rejects.toThrow('expected');
    expect(readdirSync(root)).toEqual(['a.txt']);
    expect(text('a.txt')).toBe('someone else');
  });

  it('loses none of many changes that are asked for at once', async () => {
    const { root, text } = folder();
    const tool = toolOf(root, 'writeFile');
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => run(tool, { path: 'log', mode: 'append', content: `${n}\n` })),
    );
    expect(text('log').trim().split('\n')).toHaveLength(20);
  });

  it('refuses what is too large, half a character, folders and names that look like others, and leaves nothing behind', async () => {
    const { root } = folder({ 'big.txt': 'x'.repeat(90) });
    const tool = toolOf(root, 'writeFile', { maxFileBytes: 100 });
    const refused: [named: string, content: string, mode: string][] = [
      ['a', 'x'.repeat(101), 'create'],
      ['big.txt', 'x'.repeat(11), 'append'],
      ['a', '\ud83d', 'create'],
      ['a/', 'x', 'create'],
      ['.', 'x', 'create'],
      ['a\u202egpj', 'x', 'create'],
      ['a\nb', 'x', 'create'],
      ['a\u200bb', 'x', 'create'],
      ['\u{e0061}', 'x', 'create'],
      ['\ud83d', 'x', 'create'],
    ];
    for (const [named, content, mode] of refused) {
      await expect(run(tool, { path: named, mode, content }), named).rejects.toThrow(
        /limit|half|folder|cannot be seen/,
      );
    }
    expect(readdirSync(root)).toEqual(['big.txt']);
    await run(tool, { path: '日本語/می‌خواهم 👩‍👧.md', mode: 'create', content: 'x' });
  });

  it('writes nothing once it was aborted', async () => {
    const { root, text } = folder({ 'a.txt': 'one' });
    const signal = AbortSignal.abort(new Error('enough'));
    const args = { path: 'a.txt', mode: 'overwrite', content: 'two' };
    await expect(run(toolOf(root, 'writeFile'), args, signal)).rejects.toThrow('enough');
    await expect(run(toolOf(root, 'deleteFile'), { path: 'a.txt' }, signal)).rejects.toThrow('enough');
    expect([readdirSync(root), text('a.txt')]).toEqual([['a.txt'], 'one']);
  });
});

describe('what is found out about a write after a crash', () => {
  const cases: [
    what: string,
    now: string | undefined,
    mode: string,
    expected: string | undefined,
    happened: unknown,
  ][] = [
    ['a new file is there', 'new', 'create', undefined, true],
    ['a new file is not there', undefined, 'create', undefined, false],
    ['another file is there', 'other', 'create', undefined, 'unknown'],
    ['the content is the new one', 'new', 'overwrite', undefined, true],
    ['the content is not the new one', 'old', 'overwrite', undefined, false],
    ['the content is what was expected before', 'old', 'overwrite', 'old', false],
    ['the content is neither', 'third', 'overwrite', 'old', 'unknown'],
    ['the end is not the text', 'old', 'append', undefined, false],
    ['the end is the text, the rest is not known', 'oldnew', 'append', undefined, 'unknown'],
    ['the end is the text, the rest is as expected', 'oldnew', 'append', 'old', true],
  ];
  it.each(cases)('%s', async (_, ...[now, mode, expected, happened]) => {
    const { root } = folder({ ...(now !== undefined && { 'a.txt': now }), 'old.txt': expected ?? '' });
    const expectSha256 = digestOf(await run(toolOf(root, 'readFile'), { path: 'old.txt' }));
    const args = { path: 'a.txt', mode, content: 'new', ...(expected !== undefined && { expectSha256 }) };
    expect(await toolOf(root, 'writeFile').reconcile?.(args, contextOf())).toMatchObject({ happened });
  });

  it('a run that lost its process in the middle of a write goes on with the truth', async () => {
    const { root, text } = folder();
    const args = { path: 'a.txt', mode: 'create', content: 'the text' };
    const model = scriptedModel((options) =>
      options.prompt.some((message) => message.role === 'tool') ? callFinal('done') : callTool('writeFile', args),
    );
    const journals = new InMemoryJournals();
    const written = Promise.withResolvers<void>();
    const write = toolOf(root, 'writeFile');
    const dying: Tool = {
      ...write,
      run: async (given, context) => {
        await write.run(given, context);
        written.resolve();
        return new Promise(() => {});
      },
    };
    const first = inMemoryHost({ journals });
    const agentOn = (tools: Tool[], host: typeof first) =>
      defineAgent({ model, tools, policy: { write: 'allow' }, host });
    void agentOn([dying], first)
      .run('write it', { runId: 'w' })
      .result.catch(() => {});
    await written.promise;
    await first.close();
    const result = await agentOn([write], inMemoryHost({ journals })).resume('w');
    expect(result.attempt.observations).toMatchObject([{ status: 'ok', content: expect.stringContaining('8 bytes') }]);
    expect(text('a.txt')).toBe('the text');
  });
});

describe('editFile', () => {
  it('replaces the one place and says where', async () => {
    const { root, text } = folder({ 'a.ts': 'const a = 1;\nconst b = 1;\n' });
    const said = await run(toolOf(root, 'editFile'), { path: 'a.ts', oldText: 'b = 1', newText: 'b = $&2' });
    expect(said).toContain('edited at line 2');
    expect(text('a.ts')).toBe('const a = 1;\nconst b = $&2;\n');
  });

  it('refuses text that is missing or not unique, with the remedy', async () => {
    const { root, text } = folder({ 'a.txt': 'aaa' });
    const tool = toolOf(root, 'editFile');
    await expect(run(tool, { path: 'a.txt', oldText: 'aa', newText: '' })).rejects.toThrow('more than once');
    await expect(run(tool, { path: 'a.txt', oldText: 'b', newText: '' })).rejects.toThrow('copy it exactly');
    await expect(run(tool, { path: 'a.txt', oldText: 'aaa', newText: '\udc00' })).rejects.toThrow('half');
    expect(text('a.txt')).toBe('aaa');
  });

  it('keeps Windows line ends, byte order marks and UTF-16', async () => {
    const { root } = folder({
      'crlf.txt': '\ufeffone\r\ntwo\r\nthree',
      'wide.txt': Buffer.from('\ufeffgrün\r\nblau', 'utf16le').swap16(),
    });
    const tool = toolOf(root, 'editFile');
    await run(tool, { path: 'crlf.txt', oldText: 'one\ntwo', newText: '1\n2' });
    await run(tool, { path: 'wide.txt', oldText: 'blau', newText: 'rot' });
    expect(readFileSync(path.join(root, 'crlf.txt'), 'utf8')).toBe('\ufeff1\r\n2\r\nthree');
    expect(readFileSync(path.join(root, 'wide.txt')).swap16().toString('utf16le')).toBe('\ufeffgrün\r\nrot');
  });
});

describe('deleteFile', () => {
  it('deletes one file, says what it was, and no folder', async () => {
    const { root } = folder({ 'd/a.txt': 'abc' });
    const tool = toolOf(root, 'deleteFile');
    await expect(run(tool, { path: 'd' })).rejects.toThrow('it is a folder');
    expect(await tool.reconcile?.({ path: 'd/a.txt' }, contextOf())).toEqual({ happened: false });
    expect(await run(tool, { path: 'd/a.txt' })).toMatch(/^d\/a\.txt: deleted; it had 3 bytes/);
    expect(readdirSync(path.join(root, 'd'))).toEqual([]);
    expect(await tool.reconcile?.({ path: 'd/a.txt' }, contextOf())).toMatchObject({ happened: true });
    await expect(run(tool, { path: 'd/a.txt' })).rejects.toThrow('not found');
  });
});
