import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { prepareArguments } from '../arguments.ts';
import type { Tool } from '../tool.ts';
import { type FilesOptions, files } from './files.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderOf(content: Record<string, string | Uint8Array>): string {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-files-')));
  made.push(parent);
  const folder = path.join(parent, 'project');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(content)) put(folder, name, text);
  return folder;
}

function put(folder: string, name: string, content: string | Uint8Array): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The tools of a folder by name, called as the executor does: arguments parsed by the schema first. */
function callsOn(root: string, options: FilesOptions = {}) {
  const tools = new Map(files(root, options).map((tool) => [tool.name, tool]));
  return (name: string, args: unknown, signal: AbortSignal = new AbortController().signal): Promise<string> => {
    const tool = tools.get(name) as Tool;
    return tool.run(tool.input.parse(args), { idempotencyKey: 'k', attempt: 1, signal }).then(String);
  };
}

async function refusal(call: Promise<string>): Promise<string> {
  return call.then(
    (text) => `no refusal but: ${text}`,
    (error: unknown) => (error as Error).message,
  );
}

const shop = {
  'notes.txt': 'The ferry leaves at nine.\r\nTickets are sold on board.\r\n',
  'src/fare.ts': 'export const fare = 4;\nexport const child = 2;\n',
  'src/deep/harbour.md': '# Harbour\n\nThe fare is 4.\n',
};

describe('files', () => {
  it('gives tools that change something only when asked, each with its effect', () => {
    const root = folderOf(shop);
    expect(files(root).map(({ name }) => name)).toEqual(['readFile', 'listFiles', 'searchFiles']);
    expect(files(root, { write: true }).map(({ name, effect }) => `${name} ${effect}`)).toEqual([
      'readFile read',
      'listFiles read',
      'searchFiles read',
      'writeFile write',
      'editFile write',
      'deleteFile irreversible',
    ]);
  });

  it('refuses a folder that is none, and limits that bound nothing', () => {
    const root = folderOf(shop);
    expect(() => files(path.join(root, 'missing'))).toThrow(UsageError);
    expect(() => files(path.join(root, 'notes.txt'))).toThrow('is not a folder');
    expect(() => files(root, { maxFileBytes: 0 })).toThrow('at least 1');
  });

  it('tells rules the real path and the path under the root as it was spelled, without looking', () => {
    const root = folderOf({});
    const spelled = path.join(path.dirname(root), 'here');
    symlinkSync('project', spelled);
    const touched = (given: string) => files(spelled)[0]?.touches?.({ path: given }).paths;
    expect(touched('a/../b.txt')).toEqual([path.join(root, 'b.txt'), path.join(spelled, 'b.txt')]);
    expect(touched(path.join(spelled, 'b.txt'))).toEqual([path.join(root, 'b.txt'), path.join(spelled, 'b.txt')]);
    expect(touched('../b.txt')).toEqual([path.join(path.dirname(root), 'b.txt')]);
  });

  it('runs no write whose content is missing', () => {
    const write = files(folderOf(shop), { write: true }).find(({ name }) => name === 'writeFile') as Tool;
    for (const args of ['{"path":"notes.txt","mode":"overwrite"}', '{"path":"notes.txt","content":""}']) {
      expect(prepareArguments(args, write.input)).toMatchObject({ ok: false });
    }
  });
});

describe('readFile', () => {
  it('returns the text with range, size and digest, and the lines asked for', async () => {
    const call = callsOn(folderOf(shop));
    expect(await call('readFile', { path: 'notes.txt' })).toMatch(
      /^notes\.txt, lines 1-2 of 2 \(55 bytes, sha256 [0-9a-f]{16}\)\n\nThe ferry leaves at nine\.\nTickets are sold on board\.$/,
    );
    expect(await call('readFile', { path: 'src/deep/../fare.ts', from: 2, lines: 1 })).toMatch(
      /lines 2-2 of 2.*\n\nexport const child = 2;$/,
    );
    await expect(call('readFile', { path: 'notes.txt', from: 9 })).rejects.toThrow('ask for a line from 1 to 2');
  });

  it('accepts an absolute path inside of the folder', async () => {
    const root = folderOf(shop);
    expect(await callsOn(root)('readFile', { path: path.join(root, 'src/fare.ts') })).toContain('fare = 4');
  });

  it('reads UTF-8 with a mark and UTF-16, and refuses binary files with size and kind', async () => {
    const wide = Buffer.from('\ufeffgrün', 'utf16le');
    const call = callsOn(
      folderOf({
        'bom.txt': '\ufeffblau',
        'le.txt': wide,
        'be.txt': Buffer.from(wide).swap16(),
        'image.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1),
        'old.txt': Uint8Array.of(0xd6, 0xd0, 0x41),
        'big.txt': 'x'.repeat(2_000),
      }),
      { maxFileBytes: 1_000 },
    );
    expect(await call('readFile', { path: 'bom.txt' })).toMatch(/\n\nblau$/);
    expect(await call('readFile', { path: 'le.txt' })).toMatch(/\n\ngrün$/);
    expect(await call('readFile', { path: 'be.txt' })).toMatch(/\n\ngrün$/);
    await expect(call('readFile', { path: 'image.png' })).rejects.toThrow('binary file (PNG image), 6 bytes');
    await expect(call('readFile', { path: 'old.txt' })).rejects.toThrow('not UTF-8');
    await expect(call('readFile', { path: 'big.txt' })).rejects.toThrow('2000 bytes, more than the limit of 1000');
  });
});

describe('containment', () => {
  const tools = ['readFile', 'listFiles', 'searchFiles', 'writeFile', 'editFile', 'deleteFile'];
  const argsFor = (tool: string, named: string) => ({
    path: named,
    ...(tool === 'searchFiles' && { text: 'KEY' }),
    ...(tool === 'writeFile' && { mode: 'create', content: 'KEY=2' }),
    ...(tool === 'editFile' && { oldText: 'KEY', newText: 'x' }),
  });

  it('refuses every spelling that leads out of the folder, for every tool', async () => {
    const root = folderOf({ ...shop, '.env': 'KEY=1', 'a/.git/config': 'KEY=1' });
    const outside = path.dirname(root);
    put(outside, 'project-two/key.txt', 'KEY=1');
    put(outside, 'key.txt', 'KEY=1');
    const call = callsOn(root, { write: true });
    const named = [
      `${root}-two/key.txt`,
      '../project-two/key.txt',
      `${root}/../key.txt`,
      root.toUpperCase(),
      'src/../../key.txt',
      '../key.txt',
      '..',
      'x\0.txt',
      '....//key.txt',
      '..\\key.txt',
      'C:\\key.txt',
      'c:/key.txt',
      '\\\\host\\share\\key.txt',
      `file://${root}/notes.txt`,
      `file:${outside}/key.txt`,
      '~/key.txt',
      '.env',
      'a/.git/config',
      'a/./.git/config',
      'n'.repeat(256),
      `${'d/'.repeat(100)}x`,
    ];
    for (const tool of tools) {
      for (const each of named) {
        const message = await refusal(call(tool, argsFor(tool, each)));
        expect(message, `${tool} ${each}`).toMatch(/outside|NUL|dots|backslash|drive|URL|~|hidden|255|too long/);
      }
    }
    const files = execFileSync('find', [outside, '-type', 'f'], { encoding: 'utf8' });
    expect(files.trim().split('\n')).toHaveLength(7);
  });

  it('refuses links for every tool, and names the real path of one that stays inside', async () => {
    const root = folderOf({ ...shop, '.env': 'KEY=1' });
    put(path.dirname(root), 'outside/key.txt', 'KEY=1');
    symlinkSync('../outside', path.join(root, 'away'));
    symlinkSync(path.dirname(root), path.join(root, 'up'));
    symlinkSync('away', path.join(root, 'chain'));
    symlinkSync('../outside/key.txt', path.join(root, 'key.txt'));
    symlinkSync('.env', path.join(root, 'env.txt'));
    symlinkSync('src', path.join(root, 'inside'));
    symlinkSync('round', path.join(root, 'round'));
    symlinkSync('../new.txt', path.join(root, 'dangling.txt'));
    const call = callsOn(root, { write: true });
    const away = [
      'away',
      'away/key.txt',
      'away/new.txt',
      'up/project/notes.txt',
      'chain/key.txt',
      'key.txt',
      'env.txt',
    ];
    for (const tool of tools) {
      for (const each of away) {
        const message = await refusal(call(tool, argsFor(tool, each)));
        expect(message, `${tool} ${each}`).toMatch(/is a link that leads out of the folder/);
        expect(message).not.toContain('outside');
      }
      expect(await refusal(call(tool, argsFor(tool, 'inside/deep/harbour.md')))).toContain('write the real path src');
      expect(await refusal(call(tool, argsFor(tool, 'round/x')))).toContain('leads nowhere');
      expect(await refusal(call(tool, argsFor(tool, 'dangling.txt')))).toContain('leads nowhere');
    }
  });

  it('refuses pipes, sockets and devices at once', async () => {
    const root = folderOf(shop);
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    symlinkSync('/dev/zero', path.join(root, 'zero'));
    const server = createServer().listen(path.join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    const call = callsOn(root, { write: true });
    for (const tool of ['readFile', 'writeFile', 'editFile', 'deleteFile']) {
      for (const name of ['pipe', 'socket']) {
        expect(await refusal(call(tool, argsFor(tool, name))), `${tool} ${name}`).toContain('not a regular file');
      }
    }
    const call2 = callsOn('/dev');
    expect(await refusal(call2('readFile', { path: 'null' }))).toContain('not a regular file');
    expect(await call('searchFiles', { text: 'ferry' })).toContain('notes.txt:1');
    server.close();
  });

  it('reads what a hard link shares, and leaves it as it was when writing', async () => {
    const root = folderOf(shop);
    put(path.dirname(root), 'shared.txt', 'outside');
    linkSync(path.join(root, '../shared.txt'), path.join(root, 'shared.txt'));
    const call = callsOn(root, { write: true });
    await call('writeFile', { path: 'shared.txt', mode: 'overwrite', content: 'inside' });
    expect(await call('readFile', { path: 'shared.txt' })).toContain('inside');
    expect(execFileSync('cat', [path.join(root, '../shared.txt')], { encoding: 'utf8' })).toBe('outside');
  });

  it('keeps what is excluded out of every tool', async () => {
    const root = folderOf({ ...shop, 'secret/plan.txt': 'fare', 'src/host.pem': 'fare' });
    const call = callsOn(root, { write: true, exclude: ['secret', '*.pem'] });
    for (const tool of tools) {
      for (const each of ['secret/plan.txt', 'src/host.pem', 'src/../secret/plan.txt', 'secret/new.txt']) {
        expect(await refusal(call(tool, argsFor(tool, each)))).toContain('out of reach');
      }
    }
    expect(await call('listFiles', { depth: 9 })).not.toMatch(/secret|pem/);
    expect(await call('searchFiles', { text: 'fare' })).not.toMatch(/secret|pem/);
    expect(await call('searchFiles', { glob: '**' })).not.toMatch(/secret|pem/);
  });
});

describe('listFiles', () => {
  it('lists names in order with sizes, to the depth asked for', async () => {
    const root = folderOf(shop);
    symlinkSync('src', path.join(root, 'link'));
    const call = callsOn(root);
    expect(await call('listFiles', {})).toBe(
      'the folder, 3 entries:\nlink (a link, not followed)\nnotes.txt (55 bytes)\nsrc/',
    );
    expect(await call('listFiles', { path: 'src', depth: 2 })).toBe(
      'src, 3 entries:\ndeep/\ndeep/harbour.md (26 bytes)\nfare.ts (47 bytes)',
    );
    await expect(call('listFiles', { path: 'notes.txt' })).rejects.toThrow('no zip archive: readFile shows it');
  });

  it('shows characters that hide something, and leaves emoji and Persian names alone', async () => {
    const names = ['a\u{e0072}b', 'x\u202etxt.exe', 'line\nbreak', 'zero\u200bwidth', '👩‍👧.md', 'می‌خواهم.md', '❤️.md'];
    const list = await callsOn(folderOf(Object.fromEntries(names.map((name) => [name, '']))))('listFiles', {});
    for (const shown of ['a\\u{e0072}b', 'x\\u{202e}txt', 'line\\u{a}break', 'zero\\u{200b}width', ...names.slice(4)]) {
      expect(list).toContain(`\n${shown}`);
    }
  });

  it('stays within its limits and says so', async () => {
    const root = folderOf(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, 'x'])));
    expect(await callsOn(root, { maxListed: 5 })('listFiles', {})).toMatch(
      /5 entries:[\s\S]*Left out: everything after/,
    );
    expect(await callsOn(root, { maxEntries: 5 })('listFiles', {})).toMatch(/5 entries:[\s\S]*after 5 entries/);
  });
});

describe('searchFiles', () => {
  it('finds lines by literal text and files by name', async () => {
    const call = callsOn(folderOf({ ...shop, 'node_modules/x/a.md': 'fare', 'image.bin': Uint8Array.of(0, 1) }));
    expect(await call('searchFiles', { text: 'fare' })).toBe(
      '2 lines with "fare" below . (files searched: 4)\nsrc/deep/harbour.md:3: The fare is 4.\nsrc/fare.ts:1: export const fare = 4;\n\n' +
        'Left out: node_modules: installed packages, name the folder to look into it; binary files: 1',
    );
    expect(await call('searchFiles', { text: 'FERRY', ignoreCase: true })).toContain('notes.txt:1: The ferry');
    expect(await call('searchFiles', { text: 'f.*e' })).toContain('No line with');
    expect(await call('searchFiles', { glob: '*.md' })).toContain('1 file matching *.md below .\nsrc/deep/harbour.md');
    expect(await call('searchFiles', { path: 'src', text: 'fare', glob: '*.ts' })).not.toContain('harbour');
  });

  it('takes text and globs that would blow up a regular expression in no time', async () => {
    const call = callsOn(folderOf({ [`${'a'.repeat(200)}`]: 'a'.repeat(100_000) }));
    const started = Date.now();
    for (const glob of ['*a'.repeat(100), `${'*a'.repeat(100)}b`, '**/**/a*/**/b', `${'?'.repeat(250)}`]) {
      await call('searchFiles', { glob });
    }
    await call('searchFiles', { text: '(a+)+$' });
    expect(Date.now() - started).toBeLessThan(1_000);
    await expect(call('searchFiles', { glob: '{a,b}'.repeat(20) })).rejects.toThrow('at most 32 patterns');
  });

  it('stops at its limits, shows long lines around the match, and obeys the signal', async () => {
    const root = folderOf({ 'a.txt': 'x\n'.repeat(100), 'b.txt': `${'-'.repeat(5_000)}needle${'-'.repeat(5_000)}` });
    const call = callsOn(root, { maxSearchBytes: 100 });
    expect(await callsOn(root)('searchFiles', { text: 'x', limit: 3 })).toMatch(
      /^3 lines[\s\S]*after the first 3 matches/,
    );
    expect(await call('searchFiles', { text: 'needle' })).toContain('name a smaller folder');
    const line = /b\.txt:1: .*/.exec(await callsOn(root)('searchFiles', { text: 'needle' }))?.[0] ?? '';
    expect(line).toMatch(/^b\.txt:1: …-+needle-+…$/);
    expect(line.length).toBeLessThan(300);
    await expect(call('searchFiles', { text: 'x' }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
