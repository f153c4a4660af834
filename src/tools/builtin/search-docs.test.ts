import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { Tool } from '../tool.ts';
import { checkFolder, readDoc, searchDocs } from './search-docs.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderOf(files: Record<string, string | Uint8Array>): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'assay-docs-'));
  made.push(parent);
  const folder = path.join(parent, 'docs');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) write(folder, name, content);
  return folder;
}

function write(folder: string, name: string, content: string | Uint8Array): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Runs a tool as the executor does: arguments parsed by the schema first. */
async function call(tool: Tool, args: unknown): Promise<string> {
  const context = { idempotencyKey: 'k', attempt: 1, signal: new AbortController().signal };
  return String(await tool.run(tool.input.parse(args), context));
}

const boats = {
  'hire.md':
    '# Boat hire\n\n## Deposit\n\nThe deposit for a rowing boat is 50 EUR.\n\n## Weather\n\nNo refunds for rain.\n',
  'fleet/boats.csv': 'code,name,seats\nBT-17,Heron,6\nBT-71,Lark,4\n',
  'zh/价格.md': '# 价格\n\n租船二十小时以上八五折。\n\n# 押金\n\n押金为三百元。\n',
  'fleet/prices.json': '[{"code": "BT-17", "hour": 14}, {"code": "BT-71", "hour": 11}]',
  'contact.html': '<title>Contact</title><p>Call the <b>harbour office</b> before noon.',
  'notes.txt': 'The jetty closes at dusk.\n\nLife jackets hang in the shed.\n',
};

describe('searchDocs', () => {
  it('returns the best passage first, word for word, with path, lines and heading', async () => {
    const result = await call(searchDocs(folderOf(boats)), { query: 'What deposit is due for a rowing boat?' });
    expect(result).toContain(
      '1. hire.md, lines 3-5, Boat hire > Deposit\n\n## Deposit\n\nThe deposit for a rowing boat is 50 EUR.',
    );
  });

  it('finds an identifier exactly and shows its row with the header', async () => {
    const tool = searchDocs(folderOf(boats));
    for (const query of ['BT-71', 'bt71', 'seats of BT 71']) {
      const result = await call(tool, { query, limit: 2 });
      expect(result, query).toContain('fleet/boats.csv, line 3\n\ncode,name,seats\nBT-71,Lark,4');
      expect(result.indexOf('71'), query).toBeLessThan(
        result.includes('BT-17,') ? result.indexOf('BT-17,') : Number.POSITIVE_INFINITY,
      );
    }
  });

  it('finds Chinese text by words and by parts of words', async () => {
    const tool = searchDocs(folderOf(boats));
    expect(await call(tool, { query: '二十小时打几折' })).toMatch(
      /^.*\n\n1\. zh\/价格\.md, lines 1-3, 价格\n\n# 价格\n\n租船二十小时以上八五折。/,
    );
    expect(await call(tool, { query: '押金多少', limit: 1 })).toContain('押金为三百元。');
  });

  it('finds other forms of a word, a word with one slip, and text of HTML and JSON files', async () => {
    const tool = searchDocs(folderOf(boats));
    expect(await call(tool, { query: 'refund', limit: 1 })).toContain('No refunds for rain.');
    expect(await call(tool, { query: 'jack', limit: 1 })).toContain('Life jackets hang');
    expect(await call(tool, { query: 'harbor offices', limit: 1 })).toContain('Call the harbour office before noon.');
    expect(await call(tool, { query: 'hour BT-17', limit: 1 })).toContain('{"code": "BT-17", "hour": 14}');
  });

  it('says that nothing matches and which files there are', async () => {
    const result = await call(searchDocs(folderOf(boats)), { query: 'zeppelin' });
    expect(result).toMatch(/^No passage matches "zeppelin"/);
    for (const name of Object.keys(boats)) expect(result).toContain(name);
    expect(await call(searchDocs(folderOf({})), { query: 'x' })).toContain('Files: (none)');
  });

  it('returns no more passages than asked for', async () => {
    const tool = searchDocs(
      folderOf({ 'a.csv': `n,kind\n${Array.from({ length: 30 }, (_, n) => `${n},duck`).join('\n')}\n` }),
    );
    expect((await call(tool, { query: 'duck', limit: 3 })).match(/^\d+\. a\.csv/gm)).toHaveLength(3);
    expect((await call(tool, { query: 'duck' })).match(/^\d+\. a\.csv/gm)).toHaveLength(5);
    expect(tool.input.safeParse({ query: ' ' }).success).toBe(false);
    expect(tool.input.safeParse({ query: 'a', limit: 11 }).success).toBe(false);
  });

  it('sees files that came, changed and went', async () => {
    const folder = folderOf({ 'a.md': 'walrus', 'b.md': 'otter' });
    const tool = searchDocs(folder);
    expect(await call(tool, { query: 'walrus' })).toContain('1. a.md');
    write(folder, 'a.md', 'beaver');
    utimesSync(path.join(folder, 'a.md'), 1, 1);
    write(folder, 'c.md', 'badger');
    rmSync(path.join(folder, 'b.md'));
    expect(await call(tool, { query: 'walrus' })).toContain('No passage');
    expect(await call(tool, { query: 'otter' })).toContain('Files: a.md; c.md');
    expect(await call(tool, { query: 'beaver badger' })).toMatch(/1\. [\s\S]*2\. /);
  });

  it('serves several searches at once', async () => {
    const tool = searchDocs(folderOf(boats));
    const results = await Promise.all(['jetty', 'Heron', '押金'].map((query) => call(tool, { query, limit: 1 })));
    expect(results.map((result) => /1\. ([^,]+)/.exec(result)?.[1])).toEqual([
      'notes.txt',
      'fleet/boats.csv',
      'zh/价格.md',
    ]);
  });

  it('leaves hidden folders, installed packages and links out, and names what it could not read', async () => {
    const folder = folderOf({
      '.secret/a.md': 'falcon',
      'node_modules/x/readme.md': 'falcon',
      'photo.png': Uint8Array.of(0x89, 0, 1),
      'legacy.txt': Uint8Array.of(0xd6, 0xd0),
      'big.txt': 'falcon '.repeat(100),
    });
    write(path.dirname(folder), 'outside.md', 'falcon');
    symlinkSync('../outside.md', path.join(folder, 'link.md'));
    symlinkSync('..', path.join(folder, 'up'));
    const result = await call(searchDocs(folder, { maxFileBytes: 500 }), { query: 'falcon' });
    expect(result).toContain('No passage');
    for (const note of ['photo.png: it is a binary file', 'legacy.txt: it is not UTF-8', 'big.txt: it has 700 bytes']) {
      expect(result).toContain(note);
    }
    expect(result).toMatch(/link\.md: a link.*up: a link/);
    expect(result).not.toMatch(/secret|node_modules|outside/);
  });

  it('keeps to its limits on files and says so', async () => {
    const folder = folderOf({ 'a.md': 'crane', 'b.md': 'crane', 'c.md': 'crane' });
    expect(await call(searchDocs(folder, { maxFiles: 2 }), { query: 'crane' })).toMatch(
      /in 2 files[\s\S]*after the first 2/,
    );
    expect(await call(searchDocs(folder, { maxTotalBytes: 11 }), { query: 'crane' })).toContain(
      'c.md: the documents together',
    );
  });

  it('reports a folder that is gone', async () => {
    const folder = folderOf({});
    const tool = searchDocs(folder);
    rmSync(folder, { recursive: true });
    await expect(call(tool, { query: 'x' })).rejects.toThrow('does not exist');
  });
});

describe('checkFolder', () => {
  it('accepts a folder and refuses what is none with the remedy', () => {
    const folder = folderOf({ 'a.md': 'x' });
    expect(() => checkFolder(folder)).not.toThrow();
    for (const wrong of [path.join(folder, 'missing'), path.join(folder, 'a.md'), path.join(folder, 'a.md', 'x'), '']) {
      expect(() => checkFolder(wrong), wrong).toThrow(UsageError);
    }
    expect(() => checkFolder(path.join(folder, 'missing'))).toThrow(/does not exist: create it or name another one/);
  });
});

describe('readDoc', () => {
  it('returns a file with its line range', async () => {
    const tool = readDoc(folderOf(boats));
    expect(await call(tool, { path: 'notes.txt' })).toBe(
      'notes.txt, lines 1-3 of 3\n\nThe jetty closes at dusk.\n\nLife jackets hang in the shed.',
    );
    expect(await call(tool, { path: 'contact.html' })).toContain('# Contact\n\nCall the harbour office before noon.');
  });

  it('returns the lines asked for and says how to read on', async () => {
    const tool = readDoc(folderOf({ 'n.txt': Array.from({ length: 9 }, (_, n) => `line ${n + 1}`).join('\r\n') }));
    expect(await call(tool, { path: 'n.txt', from: 4, lines: 2 })).toBe(
      'n.txt, lines 4-5 of 9\n\nline 4\nline 5\n\n[4 more lines: read on with from 6]',
    );
    await expect(call(tool, { path: 'n.txt', from: 10 })).rejects.toThrow('has 9 lines: ask for a line from 1 to 9');
  });

  it('cuts a long file between lines, so that reading on shows all of it', async () => {
    const lines = Array.from({ length: 500 }, (_, n) => `${n} ${'w'.repeat(n % 90)}`);
    const tool = readDoc(folderOf({ 'long.md': lines.join('\n') }), { maxChars: 1_000 });
    const shown: string[] = [];
    for (let from = 1; from <= 500; ) {
      const [head = '', ...parts] = (await call(tool, { path: 'long.md', from })).split('\n\n');
      const text = parts.filter((part) => !part.startsWith('[')).join('\n\n');
      expect(text.length).toBeLessThanOrEqual(1_000);
      shown.push(...text.split('\n'));
      from = Number(/-(\d+) of/.exec(head)?.[1]) + 1;
    }
    expect(shown).toEqual(lines);
  });

  it('shows the beginning of a line that is too long and says so', async () => {
    const tool = readDoc(folderOf({ 'one.json': `[${'1,'.repeat(5_000)}1]\nend` }), { maxChars: 100 });
    const result = await call(tool, { path: 'one.json' });
    expect(result).toContain('lines 1-1 of 2: only the first 100 of its 10003 characters');
    expect(result).toContain('from 2');
  });

  it('accepts dots and backslashes in a path that stays inside', async () => {
    const tool = readDoc(folderOf(boats));
    for (const name of ['./fleet/boats.csv', 'fleet\\boats.csv', 'zh/../fleet/boats.csv', 'fleet//boats.csv']) {
      expect(await call(tool, { path: name }), name).toContain('BT-17,Heron,6');
    }
  });

  it('refuses every path that leads out of the folder, also through links', async () => {
    const folder = folderOf({ ...boats, '.env': 'KEY=1', 'sub/.git/config': 'KEY=1' });
    write(path.dirname(folder), 'docs-other/key.txt', 'KEY=1');
    symlinkSync('../docs-other', path.join(folder, 'other'));
    symlinkSync('../docs-other/key.txt', path.join(folder, 'key.txt'));
    symlinkSync('.env', path.join(folder, 'env.txt'));
    const tool = readDoc(folder);
    const outside = [
      '../docs-other/key.txt',
      'fleet/../../docs-other/key.txt',
      '..\\docs-other\\key.txt',
      '..',
      'other/key.txt',
    ];
    const hidden = ['.env', 'sub/.git/config', 'env.txt', 'key.txt', '..../x', '.'];
    const absolute = [
      '/etc/hostname',
      'C:\\key.txt',
      'c:/key.txt',
      '\\\\host\\share',
      '~/key.txt',
      'file:///etc/hostname',
    ];
    for (const name of [
      ...outside,
      ...hidden,
      ...absolute,
      path.join(folder, 'hire.md'),
      'a\0b',
      'fleet/boats.csv/x',
    ]) {
      const error = await call(tool, { path: name }).then(
        (text) => `read: ${text}`,
        (reason: unknown) => String(reason),
      );
      expect(error, name).toMatch(/absolute|outside|hidden|link|not found|folder/);
      expect(error, name).not.toMatch(/^read|KEY/);
    }
    await expect(call(tool, { path: 'key.txt' })).rejects.toThrow('a link that leads out of the folder');
    await expect(call(tool, { path: '../docs-other/key.txt' })).rejects.toThrow('is outside of the folder');
    await expect(call(tool, { path: '/etc/hostname' })).rejects.toThrow('give it relative to the folder');
  });

  it('names the files there are when one is missing, and no path outside of the folder', async () => {
    const folder = folderOf(boats);
    const error = await call(readDoc(folder), { path: 'hire.txt' }).catch((reason: unknown) => String(reason));
    expect(error).toContain('hire.md');
    expect(error).not.toContain(folder);
  });

  it('refuses binary files, large files, folders and pipes with the reason', async () => {
    const folder = folderOf({ ...boats, 'a.bin': Uint8Array.of(1, 0, 2), 'big.md': 'x'.repeat(2_000) });
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    const tool = readDoc(folder, { maxFileBytes: 1_000 });
    await expect(call(tool, { path: 'a.bin' })).rejects.toThrow('binary');
    await expect(call(tool, { path: 'big.md' })).rejects.toThrow('2000 bytes');
    await expect(call(tool, { path: 'fleet' })).rejects.toThrow('it is a folder');
    await expect(call(tool, { path: 'pipe' })).rejects.toThrow('not a regular file');
  });

  it('says that a file is empty', async () => {
    expect(await call(readDoc(folderOf({ 'e.md': '' })), { path: 'e.md' })).toBe('e.md is empty');
  });
});
