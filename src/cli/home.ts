import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import type { DurableHost } from '../runtime/durable.ts';
import type { EventStore } from '../trace/events.ts';
import { type Engine, openEvents, openHost } from './engine.ts';

/** The folder that holds the state of a project: runs and events in one file, lessons in another. */
export interface Home {
  readonly folder: string;
  readonly runs: string;
  readonly lessons: string;
  /** What executes the runs. */
  readonly engine: Engine;
  /** The options that led here, as a command in a hint has to repeat them: ` --home DIR`, or nothing. */
  readonly typed: string;
}

/** The home from `--home`, else `ASSAY_HOME`, else `.assay` in the working directory. Nothing is created. */
export function homeOf(
  option: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  engine: Engine = { name: 'sqlite' },
): Home {
  const folder = resolve(option || env['ASSAY_HOME'] || '.assay');
  return { folder, runs: join(folder, 'assay.db'), lessons: join(folder, 'lessons.db'), engine, typed: '' };
}

/** The runs of a home and their events, for looking. `close` releases both. */
export interface Archive {
  readonly host: DurableHost;
  readonly events: EventStore;
  close(): Promise<void>;
}

/** Opens the runs that are there. Throws `UsageError` when there are none yet, since a look creates no file. */
export async function openArchive(home: Home): Promise<Archive> {
  if (home.engine.name === 'sqlite' && !existsSync(home.runs)) {
    throw new UsageError(
      `There are no runs in ${home.folder} yet. Start one with \`assay run TASK\`, or name another folder with --home.`,
    );
  }
  const [host, events] = await Promise.all([openHost(home.engine, home.runs), openEvents(home.runs)]);
  return {
    host,
    events,
    close: async () => {
      await host.close();
      await events.close();
    },
  };
}
