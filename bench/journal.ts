import { DatabaseSync } from 'node:sqlite';
import type { DurableHost } from '../src/index.ts';
import { sqliteHost } from './library.ts';
import { median, printTable, timed } from './measure.ts';

const payload = { text: 'x'.repeat(1_000) };
const rounds = 7;
const steps = 300;
const runs = 100;
const stepsEach = 50;

/** What the journal adds to a bare INSERT and COMMIT (synchronous=FULL) in the same run, and what group commit makes of many runs. */
export async function benchJournal(folder: string): Promise<void> {
  const bare = bareInsert(`${folder}/bare.db`);
  const host = sqliteHost({ file: `${folder}/journal.db` });
  registerSteps(host);
  let next = 0;
  const one = (count: number) => runToEnd(host, `one-${next++}`, count);
  const many = () => Promise.all(Array.from({ length: runs }, () => one(stepsEach)));
  const samples = { bare: [] as number[], one: [] as number[], many: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    samples.bare.push(((await timed(async () => bare(steps))) * 1_000) / steps);
    samples.one.push(((await timed(() => one(steps))) * 1_000) / steps);
    samples.many.push(((await timed(many)) * 1_000) / (runs * stepsEach));
  }
  await host.close();
  const ratio = median(samples.one.map((value, round) => value / (samples.bare[round] ?? Number.NaN)));
  printTable('SQLite journal, synchronous=FULL, 1 KB results', [
    ['', 'µs a step', 'ratio'],
    ['bare prepared INSERT + COMMIT', median(samples.bare), ''],
    ['one run', median(samples.one), ratio],
    [`${runs} concurrent runs (group commit)`, median(samples.many), ''],
  ]);
}

function bareInsert(file: string): (count: number) => void {
  const db = new DatabaseSync(file);
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE rows(run INTEGER, seq INTEGER, key TEXT, value TEXT, at INTEGER)',
  );
  const insert = db.prepare('INSERT INTO rows VALUES(1, ?, ?, ?, ?)');
  return (count) => {
    for (let seq = 0; seq < count; seq++) {
      db.exec('BEGIN');
      insert.run(seq, `step#${seq}`, JSON.stringify(payload), Date.now());
      db.exec('COMMIT');
    }
  };
}

function registerSteps(host: DurableHost): void {
  host.register({
    name: 'steps',
    version: 1,
    run: async (durable, input) => {
      for (let count = 0; count < Number(input); count++) await durable.step('s', () => payload);
      return null;
    },
  });
}

async function runToEnd(host: DurableHost, id: string, count: number): Promise<void> {
  await host.start('steps', id, count);
  const { state, error } = await host.result(id);
  if (state !== 'completed') throw new Error(`${id}: ${error ?? state}`);
}
