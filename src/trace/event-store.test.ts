import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateError } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import { type EventStore, sqliteEvents } from './event-store.ts';

let folder: string;
let file: string;
const stores: EventStore[] = [];
const open = (name = file): EventStore => {
  const store = sqliteEvents({ file: name });
  stores.push(store);
  return store;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'events-'));
  file = join(folder, 'state', 'shared.db');
});
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

const later = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
const event = (n: number, changes: Partial<RunEvent> = {}): RunEvent =>
  ({
    type: 'turn.start',
    turn: n,
    id: `turn.start#${n}`,
    run: 'r1',
    path: '',
    at: 5 - n,
    live: true,
    ...changes,
  }) as RunEvent;

test('events are read back per run, in the order they were stored, also by another handle', async () => {
  const store = open();
  const sink = store.sink();
  const events = [0, 1, 2].map((n) => event(n));
  for (const one of events) sink.write(one);
  sink.write(event(0, { run: 'r2' }));
  await later();
  expect(open().read('r1')).toEqual(events);
  expect(store.read('r2')).toEqual([event(0, { run: 'r2' })]);
  expect(store.read('r3')).toEqual([]);
});

test('a reader sees what was written in the same turn', () => {
  const store = open();
  store.sink().write(event(0));
  expect(store.read('r1')).toEqual([event(0)]);
});

test('the first copy of an event wins, in one batch, later, and after a restart', async () => {
  const copy = event(0, { live: false, at: 99 });
  const store = open();
  const sink = store.sink();
  sink.write(event(0));
  sink.write(copy);
  await later();
  sink.write(copy);
  store.close();
  const second = open();
  second.sink().write(copy);
  second.sink().write(event(1));
  expect(second.read('r1')).toEqual([event(0), event(1)]);
});

test('what comes out of a running step is not stored', () => {
  const store = open();
  const sink = store.sink();
  for (const type of ['model.delta', 'model.start', 'model.retry'] as const)
    sink.write({
      ...event(0),
      id: type,
      type,
      text: '',
      step: '',
      role: '',
      attempt: 1,
      waitMs: 1,
      why: '',
    } as RunEvent);
  expect(store.read('r1')).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

test('neither constructing it nor reading creates the file', () => {
  expect(open().read('r1')).toEqual([]);
  expect(existsSync(join(folder, 'state'))).toBe(false);
});

test('events of one turn share one transaction', async () => {
  const store = open();
  const sink = store.sink();
  sink.write(event(0));
  await later();
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  for (let n = 1; n < 100; n++) sink.write(event(n));
  expect(other.prepare('SELECT count(*) AS n FROM events').get()?.['n']).toBe(1);
  other.exec('COMMIT');
  await later();
  expect(other.prepare('SELECT count(*) AS n FROM events').get()?.['n']).toBe(100);
  other.close();
});

test('it leaves the rest of a shared file alone', () => {
  const store = open();
  store.sink().write(event(0));
  store.close();
  const other = new DatabaseSync(file);
  other.exec('PRAGMA user_version = 7; CREATE TABLE steps (key TEXT)');
  other.close();
  const second = open();
  second.sink().write(event(1));
  expect(second.read('r1')).toHaveLength(2);
  const check = new DatabaseSync(file);
  expect(check.prepare('PRAGMA user_version').get()?.['user_version']).toBe(7);
  const tables = check.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  expect(tables.map((row) => row['name'])).toEqual(['event_meta', 'events', 'steps']);
  check.close();
});

test('a file that cannot be used fails the next write and the close with the remedy, and a read at once', async () => {
  const broken = join(folder, 'broken.db');
  writeFileSync(broken, 'minutes of a meeting, not a database. '.repeat(40));
  const store = open(broken);
  const sink = store.sink();
  sink.write(event(0));
  await later();
  expect(() => sink.write(event(1))).toThrow(StateError);
  expect(() => sink.close?.()).toThrow(/broken\.db.*move the file away/);
  expect(() => store.read('r1')).toThrow(StateError);
});

test('events of a newer layout are not touched', () => {
  const first = open();
  first.sink().write(event(0));
  first.close();
  const other = new DatabaseSync(file);
  other.exec("UPDATE event_meta SET value = 99 WHERE name = 'layout'");
  other.close();
  expect(() => open().read('r1')).toThrow(/newer Assay.*upgrade/);
});

test('closing writes what is waiting, and a closed store says so', () => {
  const store = open();
  store.sink().write(event(0));
  store.close();
  store.close();
  expect(() => store.read('r1')).toThrow(StateError);
  expect(open().read('r1')).toEqual([event(0)]);
});
