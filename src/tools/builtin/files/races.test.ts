import { type ChildProcess, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Area } from './area.ts';
import { deleteOne, writeText } from './change-files.ts';
import { listFolder } from './list-files.ts';
import { readText } from './read-file.ts';
import { searchFolder } from './search-files.ts';

const made: string[] = [];
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A root with a folder `work`, and another folder outside of it with files of the same names. */
function scene(reach: Area['reach']) {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-race-')));
  made.push(parent);
  const [root, outside] = [path.join(parent, 'root'), path.join(parent, 'outside')];
  for (const folder of [path.join(root, 'work'), outside]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(root, 'work/a.txt'), 'inside');
  writeFileSync(path.join(outside, 'a.txt'), 'OUTSIDE');
  const area: Area = { root, spelled: root, hidden: false, exclude: [], ...(reach && { reach }) };
  return { area, root, outside };
}

/** A process that puts a link to `outside` in the place of `work`, and the folder back, as fast as it can. */
async function swapper(root: string, outside: string): Promise<void> {
  const code = `
    const fs = require('node:fs');
    process.chdir(${JSON.stringify(root)});
    fs.symlinkSync(${JSON.stringify(outside)}, 'link');
    process.stdout.write('ready');
    const wait = () => { for (let n = 0; n < 2000 * Math.random(); n++); };
    // The tools may have made a folder of that name in the moment in which there was none.
    const move = (from, to) => {
      for (;;) try { return fs.renameSync(from, to); } catch { fs.rmSync(to, { recursive: true, force: true }); }
    };
    for (;;) {
      move('work', 'real'); move('link', 'work'); wait();
      move('work', 'link'); move('real', 'work'); wait();
    }`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
}

const signal = new AbortController().signal;
const change = { maxFileBytes: 1_000, signal };
const reading = { limits: { maxChars: 1_000, maxFileBytes: 1_000, maxArchiveBytes: 1_000 }, signal };
const listing = { limits: { maxEntries: 100, maxListed: 100, maxArchiveBytes: 1_000 }, signal };
const searching = { limits: { maxEntries: 100, maxFileBytes: 1_000, maxSearchBytes: 10_000 }, signal };

/** Every kind of call on the folder that is being swapped; what they said. */
async function callAll(area: Area, n: number): Promise<string[]> {
  const wish = { ignoreCase: false, limit: 10 };
  const calls = [
    () => writeText(area, { path: `work/new-${n}.txt`, mode: 'create', content: 'mine' }, change),
    () => writeText(area, { path: `work/sub-${n}/deep/x.txt`, mode: 'create', content: 'mine' }, change),
    () => writeText(area, { path: 'work/a.txt', mode: 'overwrite', content: 'inside' }, change),
    () => readText(area, { path: 'work/a.txt', from: 1 }, reading),
    () => listFolder(area, { path: 'work', depth: 2 }, listing),
    () => searchFolder(area, { path: '.', text: 'OUTSIDE', ...wish }, searching),
    () => deleteOne(area, { path: `work/new-${n}.txt` }, change),
  ];
  const said: string[] = [];
  for (const call of calls) said.push(await call().catch((error: Error) => error.message));
  return said;
}

describe('a folder that is swapped for a link while the tools work in it', () => {
  it.skipIf(process.platform !== 'linux')(
    'leads nothing out: no file is written, deleted, read or listed outside',
    async () => {
      const { area, root, outside } = scene('handle');
      await swapper(root, outside);
      const said: string[] = [];
      const until = Date.now() + 2_500;
      for (let n = 0; Date.now() < until; n++) said.push(...(await callAll(area, n)));
      expect(readdirSync(outside)).toEqual(['a.txt']);
      expect(readFileSync(path.join(outside, 'a.txt'), 'utf8')).toBe('OUTSIDE');
      expect(said.filter((text) => text.includes('a.txt:1: OUTSIDE') || /\nOUTSIDE/.test(text))).toEqual([]);
      // The race was one: both the folder and the link were met.
      expect(said.some((text) => text.includes('written'))).toBe(true);
      expect(said.some((text) => text.includes('is a link'))).toBe(true);
    },
  );
});

describe('without handles of folders', () => {
  it('the tools do the same, by paths that are checked before and after', async () => {
    const { area, root, outside } = scene('path');
    const said = await callAll(area, 1);
    expect(said.slice(0, 3).every((text) => text.includes('written'))).toBe(true);
    expect(said[3]).toContain('inside');
    expect(said[4]).toContain('sub-1/deep/');
    expect(said[6]).toContain('deleted');
    rmSync(path.join(root, 'work'), { recursive: true });
    symlinkSync(outside, path.join(root, 'work'));
    for (const text of await callAll(area, 2)) expect(text).toMatch(/is a link|No line/);
    expect(readdirSync(outside)).toEqual(['a.txt']);
  });
});
