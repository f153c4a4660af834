import { UsageError } from '../../core/errors.ts';
import { isFinished } from '../../runtime/store.ts';
import { type Command, printJson } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { openArchive } from '../home.ts';

/** `assay cancel RUN`: ends a run, wherever it is executed; what it found stays. */
export const command: Command = async (context) => {
  const archive = await openArchive(context.home);
  try {
    const run = await findRun(archive.host, context.args[0] ?? '');
    if (isFinished(run.state)) throw new UsageError(`The run ${run.id} has ended already (${run.state}).`);
    await archive.host.cancel(run.id);
    if (context.json) printJson(context, { run: run.id, cancelled: true });
    else context.screen.out(`Cancelled ${run.id}.`);
    return exitCodes.completed;
  } finally {
    await archive.close();
  }
};
