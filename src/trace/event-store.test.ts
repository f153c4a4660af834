import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateError } from '../core/errors.ts';
import { numberedEvent as event, eventStoreContract } from '../testing/event-store-contract.ts';
import { type SqliteEventStore, sqliteEvents } from './event-store.ts';

let folder: string;
let file: string;
const stores: SqliteEventStore[] = [];
const open = (name = file): SqliteEventStore => {
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
eventStoreContract('sqlite', () => {
  const shared = mkdtempSync(join(tmpdir(), 'events-'));
  const another = () => sqliteEvents({ file: join(shared, 'events.db') });
  return { store: another(), another, dispose: () => rmSync(shared, { recursive: true }) };
});

test('only an event that is stored creates the file', async () => {
  const store = open();
  expect(store.read('r1')).toEqual([]);
  expect(store.deleteBefore(1)).toBe(0);
  const passing = { type: 'model.delta', id: 'd', run: 'r1', path: '', at: 0, live: true, text: '' } as const;
  store.sink().write(passing);
  await later();
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
