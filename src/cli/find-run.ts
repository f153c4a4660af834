import { StateError, UsageError } from '../core/errors.ts';
import type { DurableHost, RunInfo } from '../runtime/durable.ts';

/** As many of the newest runs are searched for the start of an id. */
const searched = 2_000;
const shown = 5;

/** The run that a user means: by its id, by a start of it that only one run has, or `last`. Throws `UsageError` otherwise. */
export async function findRun(host: DurableHost, named: string): Promise<RunInfo> {
  const exact = await host.info(named);
  if (exact) return exact;
  if (named === 'last') {
    const [newest] = await host.list({ limit: 1 });
    if (newest) return newest;
    throw new UsageError('There are no runs yet. Start one with `assay run TASK`.');
  }
  const fitting = (await host.list({ limit: searched })).filter((run) => run.id.startsWith(named));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  if (fitting.length > 1) {
    const some = fitting.slice(0, shown).map((run) => run.id);
    throw new UsageError(
      `'${named}' is the start of ${fitting.length} runs. Type more of the one you mean: ${some.join(', ')}`,
    );
  }
  throw new UsageError(`There is no run '${named}'. \`assay runs\` lists them; \`last\` means the newest.`);
}

/** Long enough that the first look at a run happens before it is over. */
const lookMs = 200;

/** The state of a run, where `running` is told apart from a run whose process is gone. */
export async function standingOf(host: DurableHost, run: RunInfo): Promise<RunInfo['state'] | 'interrupted'> {
  if (run.state !== 'running') return run.state;
  try {
    // Waiting for a run that nobody executes is refused, which is how to find out.
    return (await host.result(run.id, { waitMs: lookMs })).state;
  } catch (error) {
    if (error instanceof StateError) return 'interrupted';
    throw error;
  }
}
