import { linkSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Area } from './area.ts';
import { type Folder, inFolder, statChild } from './folder.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function areaWith(...names: string[]): Area {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-folder-')));
  made.push(root);
  for (const name of names) writeFileSync(path.join(root, name), name);
  return { root, spelled: root, hidden: false, exclude: [] };
}

/** A folder as a file system shows it that finds names by `fold`. */
function foldingFolder({ root }: Area, fold: (name: string) => string): Folder {
  const nothing = async () => {};
  return { parts: [], at: (name) => path.join(root, fold(name)), confirm: nothing, close: nothing };
}

describe('a folder of the area', () => {
  it('refuses names in another spelling than the stored one, where the system finds them all the same', async () => {
    const area = areaWith('secret.txt', 'é.txt'.normalize('NFC'));
    const ignoresCase = foldingFolder(area, (name) => name.toLowerCase());
    await expect(statChild(area, ignoresCase, 'SECRET.txt')).rejects.toThrow('another spelling: use secret.txt');
    await statChild(area, ignoresCase, 'secret.txt');
    const ignoresForm = foldingFolder(area, (name) => name.normalize('NFC'));
    await expect(statChild(area, ignoresForm, 'é.txt'.normalize('NFD'))).rejects.toThrow('another spelling');
    const ignoresUnseen = foldingFolder(area, (name) => name.toLowerCase().replaceAll('\u200c', ''));
    await expect(statChild(area, ignoresUnseen, 'sec\u200cret.txt')).rejects.toThrow('use secret.txt');
  });

  it('accepts two names of one file that are both stored', async () => {
    const area = areaWith('readme');
    linkSync(path.join(area.root, 'readme'), path.join(area.root, 'README'));
    for (const name of ['readme', 'README']) {
      expect((await inFolder(area, [], (folder) => statChild(area, folder, name))).isFile()).toBe(true);
    }
  });

  it.each(['handle', 'path'] as const)('notices that it was moved (%s)', async (reach) => {
    const area = { ...areaWith(), reach };
    mkdirSync(path.join(area.root, 'a'));
    await inFolder(area, ['a'], async (folder) => {
      await folder.confirm();
      renameSync(path.join(area.root, 'a'), path.join(area.root, 'b'));
      await expect(folder.confirm()).rejects.toThrow('moved or replaced meanwhile');
    });
  });

  it('tells failures of the system by their code, without paths of the machine', async () => {
    const area = areaWith();
    const failing = inFolder(area, [], () => readFile(path.join(area.root, 'missing')));
    const said = await failing.catch((error: Error) => error.message);
    expect(said).toBe('the file system refused it (ENOENT): try another path');
  });
});
