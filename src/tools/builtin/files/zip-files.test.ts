import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../tool.ts';
import { type FilesOptions, files } from '../files.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface ZipEntry {
  name: string;
  content?: string | Uint8Array;
  /** What the archive says instead of the truth. */
  declared?: number;
  checksum?: number;
  mode?: number;
  flags?: number;
  method?: number;
}

/** An archive as a stranger may write it (APPNOTE.TXT 6.3, sections 4.3.7 to 4.3.16). */
function zip(entries: ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', declared, checksum, mode = 0, flags = 0, method = 8 } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x800 | flags, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(checksum ?? crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(declared ?? bytes.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), packed]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE((mode << 16) >>> 0, 6);
    more.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x03'), shared, more, Buffer.from(name));
    local.push(head);
    offset += head.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

function callsOn(archive: Uint8Array, options: FilesOptions = {}) {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-zip-')));
  made.push(root);
  writeFileSync(path.join(root, 'pack.zip'), archive);
  const tools = new Map(files(root, options).map((tool) => [tool.name, tool]));
  const run = (name: string, args: unknown): Promise<string> => {
    const tool = tools.get(name) as Tool;
    const context = { idempotencyKey: 'k', attempt: 1, signal: new AbortController().signal };
    return tool.run(tool.input.parse(args), context).then(String);
  };
  return {
    root,
    list: () => run('listFiles', { path: 'pack.zip' }),
    read: (entry: string) => run('readFile', { path: 'pack.zip', entry }),
  };
}

describe('looking into a zip archive', () => {
  it('lists its files and reads one, without writing anything', async () => {
    const { root, list, read } = callsOn(
      zip([
        { name: 'docs/' },
        { name: 'docs/价格.md', content: 'one\r\ntwo' },
        { name: 'a.txt', content: 'x', method: 0 },
      ]),
    );
    expect(await list()).toBe('pack.zip, 2 entries:\na.txt (1 bytes as declared)\ndocs/价格.md (8 bytes as declared)');
    expect(await read('docs/价格.md')).toMatch(
      /^pack\.zip \(docs\/价格\.md\), lines 1-2 of 2 \(8 bytes.*\n\none\ntwo$/,
    );
    expect(await read('a.txt')).toMatch(/\n\nx$/);
    await expect(read('docs/')).rejects.toThrow('no file of the archive');
    expect(readdirSync(root)).toEqual(['pack.zip']);
  });

  it('stops inflating at the limit, whatever size is declared', async () => {
    const bomb = 'a'.repeat(8_000_000);
    const { read } = callsOn(
      zip([
        { name: 'lies.txt', content: bomb, declared: 10 },
        { name: 'big.txt', content: bomb },
        { name: 'short.txt', content: 'four', declared: 400 },
        { name: 'long.txt', content: 'four', declared: 1 },
        { name: 'stored.txt', content: bomb.slice(0, 200_000), method: 0 },
        { name: 'changed.txt', content: 'four', checksum: 1 },
      ]),
      { maxFileBytes: 100_000 },
    );
    for (const entry of ['lies.txt', 'big.txt', 'stored.txt']) {
      await expect(read(entry), entry).rejects.toThrow('more bytes than the limit of 100000');
    }
    for (const entry of ['short.txt', 'long.txt']) await expect(read(entry), entry).rejects.toThrow('declares');
    await expect(read('changed.txt')).rejects.toThrow('checksum');
  });

  it('leaves out what leads out, is no file, is hidden or stands there twice', async () => {
    const bad = [
      '../up.txt',
      '/etc/x',
      'a/../../x',
      'a\\b',
      'C:/x',
      'a//b',
      './c',
      '.env',
      `${'d/'.repeat(40)}x`,
      'n\0n',
    ];
    const { list, read } = callsOn(
      zip([
        ...bad.map((name) => ({ name, content: 'KEY' })),
        { name: 'link', content: '/etc/hostname', mode: 0o120777 },
        { name: 'device', mode: 0o020666 },
        ...['twice.txt', 'twice.txt', 'twice.txt'].map((name) => ({ name, content: 'KEY' })),
        { name: 'good.txt', content: 'fine', mode: 0o100644 },
      ]),
    );
    const said = await list();
    expect(said).toMatch(/^pack\.zip, 1 entry:\ngood\.txt \(4 bytes as declared\)\n\nLeft out: /);
    expect(said).toMatch(/link: a link or a device.*device: a link.*twice\.txt: two entries/);
    for (const entry of [...bad, 'link', 'device', 'twice.txt', 'missing']) {
      await expect(read(entry), entry).rejects.toThrow('is no file of the archive');
    }
  });

  it('keeps excluded names of the folder excluded in archives', async () => {
    const { read } = callsOn(zip([{ name: 'in/a.pem', content: 'KEY' }]), { exclude: ['*.pem'] });
    await expect(read('in/a.pem')).rejects.toThrow('is no file of the archive');
  });

  it('refuses encrypted entries, unknown methods and too many entries, and treats an inner archive as bytes', async () => {
    const { read } = callsOn(
      zip([
        { name: 'locked', content: 'x', flags: 1 },
        { name: 'odd', content: 'x', method: 93 },
        { name: 'inner.zip', content: zip([{ name: 'a', content: 'x' }]) },
      ]),
    );
    await expect(read('locked')).rejects.toThrow('encrypted');
    await expect(read('odd')).rejects.toThrow('not supported');
    await expect(read('inner.zip')).rejects.toThrow('binary file (zip archive)');
    await expect(read('inner.zip/a')).rejects.toThrow('no file of the archive');
    const many = callsOn(zip(Array.from({ length: 10_050 }, (_, n) => ({ name: `f${n}`, method: 0 }))));
    await expect(many.list()).rejects.toThrow('more than 10000 entries');
    const large = callsOn(zip([{ name: 'a', content: 'x'.repeat(5_000), method: 0 }]), { maxArchiveBytes: 1_000 });
    await expect(large.list()).rejects.toThrow('more than the limit of 1000');
  });

  it('says of every damaged archive that it is damaged, and takes nothing else down', async () => {
    const whole = zip([
      { name: 'a.txt', content: 'some text' },
      { name: 'b/c.txt', content: 'more text'.repeat(50) },
    ]);
    const damage = fc.tuple(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
      fc.option(fc.nat(whole.length)),
    );
    const calls = callsOn(whole);
    await fc.assert(
      fc.asyncProperty(damage, async ([changes, cut]) => {
        const bytes = Buffer.from(cut === null ? whole : whole.subarray(0, cut));
        for (const [at, value] of changes.filter(([each]) => each < bytes.length)) bytes[at] = value;
        writeFileSync(path.join(calls.root, 'pack.zip'), bytes);
        const said = await Promise.allSettled([calls.list(), calls.read('a.txt'), calls.read('b/c.txt')]);
        const texts = said.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)));
        expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(5_000);
      }),
      { numRuns: 300 },
    );
  });
});
