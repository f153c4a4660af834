/** What executes the runs, and where they and their events are kept: one SQLite file, or services that many machines share. */
import { UsageError } from '../core/errors.ts';
import type { LessonStore } from '../memory/memory.ts';
import type { DurableHost } from '../runtime/durable.ts';
import type { ResultBlobs } from '../runtime/restate.ts';
import type { EventStore } from '../trace/events.ts';

/** `admin`: where workers are registered and runs are looked up, if it is not port 9070 of the same host (`ASSAY_ENGINE_ADMIN`). */
export type Engine = { name: 'sqlite' } | { name: 'restate'; at: string; admin?: string };

/** Whether workers of an engine execute the runs of a command, and not its process. */
export function workersExecute({ home }: { home: { engine: Engine } }): boolean {
  return home.engine.name !== 'sqlite';
}

const defaultAddress = 'http://127.0.0.1:8080';

/** From `--engine` and `--at`, else `ASSAY_ENGINE` (`restate` or `restate@URL`), else SQLite. */
export function engineOf(
  named: { engine?: string | undefined; at?: string | undefined },
  env: NodeJS.ProcessEnv = process.env,
): Engine {
  const [name = '', address] = (named.engine ?? env['ASSAY_ENGINE'] ?? 'sqlite').split('@');
  if (name === 'sqlite' || name === '') {
    if (named.at !== undefined)
      throw new UsageError('--at is the address of an engine: give --engine restate with it.');
    return { name: 'sqlite' };
  }
  if (name !== 'restate') throw new UsageError(`There is no engine '${name}'. Choose sqlite or restate.`);
  const admin = env['ASSAY_ENGINE_ADMIN'];
  return { name, at: named.at ?? address ?? defaultAddress, ...(admin && { admin }) };
}

/** PostgreSQL for events and lessons that many machines share. */
export function sharedDatabase(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env['ASSAY_POSTGRES'] || undefined;
}

/** How long a run that only waits for a human stays in memory: the command tells of it at once. */
const suspendAfterMs = 20;

/** The host of the engine; for SQLite in this file. */
export async function openHost(engine: Engine, file: string): Promise<DurableHost> {
  if (engine.name === 'restate') {
    const { restateHost } = await import('../runtime/restate.ts');
    const blobs = await openBlobs();
    return restateHost({ ingress: engine.at, admin: engine.admin, ...(blobs && { blobs }) });
  }
  const { sqliteHost } = await import('../runtime/sqlite.ts');
  return sqliteHost({ file, suspendAfterMs });
}

/** Where results are kept that are too large for an engine: `ASSAY_BLOBS`, `s3://bucket/prefix` or a folder that all machines see. */
export async function openBlobs(env: NodeJS.ProcessEnv = process.env): Promise<ResultBlobs | undefined> {
  const place = env['ASSAY_BLOBS'];
  if (!place) return undefined;
  const bucket = /^s3:\/\/([^/]+)\/?(.*)$/.exec(place);
  if (bucket?.[1] === undefined) {
    const { folderBlobs } = await import('../runtime/blobs/folder-blobs.ts');
    return folderBlobs({ folder: place });
  }
  const { s3Blobs } = await import('../runtime/blobs/s3-blobs.ts');
  return s3Blobs({ bucket: bucket[1], ...(bucket[2] && { prefix: bucket[2] }) });
}

/** The lessons of all runs: in the database that is named, else in this file. */
export async function openLessons(file: string): Promise<LessonStore> {
  const connection = sharedDatabase();
  if (connection === undefined) return (await import('../memory/sqlite-lessons.ts')).sqliteLessons({ file });
  return (await import('../memory/postgres-lessons.ts')).postgresLessons({ connection });
}

/** The events of all runs: in the database that is named, else in this file. */
export async function openEvents(file: string): Promise<EventStore> {
  const connectionString = sharedDatabase();
  if (connectionString === undefined) {
    const { sqliteEvents } = await import('../trace/event-store.ts');
    return sqliteEvents({ file });
  }
  const { postgresEvents } = await import('../trace/postgres-events.ts');
  return postgresEvents({ connectionString });
}
