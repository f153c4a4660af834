import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import { jsonlSink } from './jsonl-sink.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jsonl-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = { run: 'r', path: '', at: 1, live: true };
const made = (text: string, n: number): RunEvent => ({ ...at, id: `plan.failed#${n}`, type: 'plan.failed', why: text });
const lines = (file: string): RunEvent[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('one line per event, in the order of the writes even when nobody waits for them', async () => {
  const file = join(folder, 'deep', 'run.jsonl');
  const sink = jsonlSink(file);
  const events = Array.from({ length: 50 }, (_, n) => made(`line\nbreak \u2028 "${n}" 税`, n));
  for (const event of events) void sink.write(event);
  await sink.close?.();
  expect(lines(file)).toEqual(events);
});

test('a line is on its way to disk when write resolves, and deltas are left out', async () => {
  const file = join(folder, 'run.jsonl');
  const sink = jsonlSink(file);
  await sink.write({ ...at, id: 'd', type: 'model.delta', text: 'x' });
  await sink.write({ ...at, id: 's', type: 'model.start', step: 'a', role: 'actor' });
  expect(existsSync(file)).toBe(false);
  await sink.write(made('kept', 1));
  expect(lines(file)).toEqual([made('kept', 1)]);
  await sink.close?.();
});

test('it appends to what is there, and ends a line that a killed process left torn', async () => {
  const file = join(folder, 'run.jsonl');
  writeFileSync(file, '{"type":"whole"}\n{"type":"to');
  const sink = jsonlSink(file);
  await sink.write(made('next', 1));
  await sink.close?.();
  expect(readFileSync(file, 'utf8').split('\n').slice(0, 2)).toEqual(['{"type":"whole"}', '{"type":"to']);
  expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[2]!)).toEqual(made('next', 1));
});

test('a disk error rejects the write and the close', async () => {
  const sink = jsonlSink(folder);
  await expect(sink.write(made('x', 1))).rejects.toThrow(/EISDIR/);
  await expect(sink.close?.()).rejects.toThrow(/EISDIR/);
});

test('closing without an event makes no file', async () => {
  const file = join(folder, 'run.jsonl');
  await jsonlSink(file).close?.();
  expect(existsSync(file)).toBe(false);
});
