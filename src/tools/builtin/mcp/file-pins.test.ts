import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateError } from '../../../core/errors.ts';
import type { JsonSchema } from '../../../core/json.ts';
import { misbehaving } from '../../../testing/mcp-server/connect.ts';
import { mcp } from '../mcp.ts';
import { fingerprintOf } from './definition.ts';
import { filePins } from './file-pins.ts';
import { memoryPins, type PinnedTool } from './pins.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-pins-'));
  file = path.join(folder, 'pins.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function pin(name: string, description = 'Says it.'): PinnedTool {
  const inputSchema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonSchema;
  const definition = { name, description, inputSchema, annotations: {} };
  return { name, fingerprint: fingerprintOf(definition), definition };
}

describe.each([
  ['memory', () => memoryPins()],
  ['a file', () => filePins(file)],
])('pins in %s', (_name, make) => {
  it('tell a server that was never seen from one without tools', async () => {
    const pins = make();
    expect(await pins.get('a')).toBeUndefined();
    await pins.accept('a', []);
    expect(await pins.get('a')).toEqual([]);
    expect(await pins.get('__proto__')).toBeUndefined();
  });

  it('add and replace by name, for one server', async () => {
    const pins = make();
    await pins.accept('a', [pin('__proto__'), pin('x')]);
    await pins.accept('b', [pin('x', 'Another.')]);
    await pins.accept('a', [pin('x', 'Changed.'), pin('y')]);
    expect(await pins.get('a')).toEqual([pin('__proto__'), pin('x', 'Changed.'), pin('y')]);
    expect(await pins.get('b')).toEqual([pin('x', 'Another.')]);
  });

  it('keep the fingerprint fitting to the definition', async () => {
    const pins = make();
    await pins.accept('a', [pin('x')]);
    const [kept] = (await pins.get('a')) ?? [];
    expect(fingerprintOf(kept!.definition)).toBe(kept!.fingerprint);
  });

  it('lose nothing when many are accepted at once', async () => {
    const pins = make();
    await Promise.all(Array.from({ length: 12 }, (_, n) => pins.accept(`server-${n % 3}`, [pin(`tool-${n}`)])));
    const counts = await Promise.all([0, 1, 2].map(async (n) => (await pins.get(`server-${n}`))?.length));
    expect(counts).toEqual([4, 4, 4]);
  });
});

describe('a pins file', () => {
  it('is readable for people, private, and leaves no other file behind', async () => {
    await filePins(file).accept('a', [pin('x')]);
    expect(readFileSync(file, 'utf8')).toMatch(/^\{\n {2}"version": 1,\n/);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readdirSync(folder)).toEqual(['pins.json']);
  });

  it.each([
    '',
    '{"version":1,"servers":[{"na',
    '[]',
    '{"version":2,"servers":[]}',
    '{"version":1,"servers":[{"name":"a","tools":[{}]}]}',
  ])('that is damaged is no first use: %j', async (text) => {
    writeFileSync(file, text);
    await expect(filePins(file).get('a')).rejects.toThrow(/cannot be read \([\s\S]*\): restore the file, or delete it/);
    await expect(filePins(file).accept('a', [pin('x')])).rejects.toThrow(StateError);
    expect(readFileSync(file, 'utf8')).toBe(text);
    await expect(mcp({ name: 'a', ...misbehaving({ tools: [] }), pins: filePins(file) })).rejects.toThrow(StateError);
  });

  it('that cannot be opened is no first use', async () => {
    mkdirSync(file);
    await expect(filePins(file).get('a')).rejects.toThrow('EISDIR');
  });

  it('is written in spite of the lock of a process that died', async () => {
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, 1, 1);
    await filePins(file).accept('a', [pin('x')]);
    expect(await filePins(file).get('a')).toHaveLength(1);
  });
});
