/**
 * Goes through a run with the user: follows it, asks for approvals where a human is there, tells the Result.
 *
 * 1. The first interrupt stops the run where it stands: nothing is cancelled in the journal and `resume` goes on with it.
 * 2. The second one ends the process at once.
 */
import type { Agent } from '../agent.ts';
import type { Result } from '../core/result.ts';
import type { Decision } from '../core/turn.ts';
import type { RunHandle } from '../run-handle.ts';
import type { Workshop } from './build-agent.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import { commandName, shortId } from './hints.ts';
import { pendingCalls } from './pending-calls.ts';
import type { Screen } from './screen.ts';

export interface Drive {
  workshop: Workshop;
  screen: Screen;
  begin(agent: Agent): RunHandle;
  /** Takes a half-drawn line off the screen. */
  tidy(): void;
  /** Tells the Result; not called when the run was interrupted. */
  tell(result: Result): void | Promise<void>;
}

/** Resolves to the exit code. Closes the workshop in every case. */
export async function drive(options: Drive): Promise<ExitCode> {
  const { workshop, screen } = options;
  const interrupt = interruption(options);
  try {
    const handle = options.begin(workshop.agent);
    const result = await Promise.race([follow(handle, options, interrupt.signal), interrupt.happened]);
    if (result !== 'interrupted') {
      await options.tell(result);
      return exitCodeOf(result.status);
    }
    await workshop.close();
    const name = commandName();
    screen.note(`Stopped. Nothing is lost: ${name} resume ${shortId(handle.id)}`);
    return exitCodes.interrupted;
  } finally {
    interrupt.release();
    await workshop.close();
  }
}

async function follow(begun: RunHandle, options: Drive, signal: AbortSignal): Promise<Result> {
  const { workshop, screen } = options;
  let result = await begun;
  while (result.status === 'awaiting_approval' && screen.canAsk) {
    const decided = await decideAll(result.runId, options, signal);
    if (!decided) break;
    result = await workshop.agent.resume(result.runId);
  }
  return result;
}

/** False when nothing that a human can decide is waited for. */
async function decideAll(runId: string, { workshop, screen }: Drive, signal: AbortSignal): Promise<boolean> {
  const info = await workshop.agent.host.info(runId);
  const pending = info ? pendingCalls(info, await workshop.events.read(runId)) : [];
  const decisions: { signal: string; decision: Decision }[] = [];
  const { askApproval } = await import('./ask-approval.ts');
  for (const call of pending) {
    decisions.push({ signal: call.signal, decision: await askApproval(call, screen, signal) });
  }
  // A decision wakes the run, so they are sent when nothing is left to ask.
  for (const { signal: name, decision } of decisions) await workshop.agent.decide(runId, name, decision);
  return pending.length > 0;
}

function interruption({ screen, tidy }: Drive): {
  happened: Promise<'interrupted'>;
  signal: AbortSignal;
  release(): void;
} {
  const controller = new AbortController();
  let resolve: (value: 'interrupted') => void = () => {};
  const happened = new Promise<'interrupted'>((done) => {
    resolve = done;
  });
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    tidy();
    screen.note('\nStopping where it stands; once more to quit at once.');
    controller.abort();
    resolve('interrupted');
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    happened,
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}
