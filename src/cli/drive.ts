/**
 * Goes through a run with the user: follows it, asks for approvals where a human is there, tells the Result.
 *
 * 1. The first interrupt stops the run where it stands: nothing is cancelled in the journal and `resume` goes on with it. A run that
 *    a worker executes goes on there.
 * 2. The second one ends the process at once.
 */
import type { Agent } from '../agent.ts';
import type { Result } from '../core/result.ts';
import type { Decision } from '../core/turn.ts';
import type { RunHandle } from '../run-handle.ts';
import type { Workshop } from './build-agent.ts';
import type { CommandContext } from './command.ts';
import { workersExecute } from './engine.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import { commandName, shortId } from './hints.ts';
import { pendingCalls } from './pending-calls.ts';

export interface Drive {
  workshop: Workshop;
  context: CommandContext;
  begin(agent: Agent): RunHandle;
  /** Takes a half-drawn line off the screen. */
  tidy(): void;
  /** Tells the Result; not called when the run was interrupted. */
  tell(result: Result): void | Promise<void>;
}

/** Resolves to the exit code. Closes the workshop in every case. */
export async function drive(options: Drive): Promise<ExitCode> {
  const { workshop } = options;
  const interrupt = interruption(options);
  try {
    const handle = options.begin(workshop.agent);
    const result = await Promise.race([follow(handle, options, interrupt.signal), interrupt.happened]);
    if (result !== 'interrupted') {
      await options.tell(result);
      return exitCodeOf(result.status);
    }
    await workshop.close();
    sayStopped(handle.id, options.context);
    return exitCodes.interrupted;
  } finally {
    interrupt.release();
    await workshop.close();
  }
}

function sayStopped(runId: string, context: CommandContext): void {
  const { screen, home } = context;
  const again = `${commandName()} resume ${shortId(runId)}${home.typed}`;
  screen.note(
    workersExecute(context) ? `The run goes on without you. Follow it: ${again}` : `Stopped. Nothing is lost: ${again}`,
  );
}

async function follow(begun: RunHandle, options: Drive, signal: AbortSignal): Promise<Result> {
  const { workshop, context } = options;
  let result = await begun;
  while (result.status === 'awaiting_approval' && context.screen.canAsk) {
    const decided = await decideAll(result.runId, options, signal);
    if (!decided) break;
    result = await workshop.agent.resume(result.runId);
  }
  return result;
}

/** False when nothing that a human can decide is waited for. */
async function decideAll(runId: string, { workshop, context }: Drive, signal: AbortSignal): Promise<boolean> {
  const info = await workshop.agent.host.info(runId);
  const pending = info ? pendingCalls(info, await workshop.events.read(runId)) : [];
  const decisions: { signal: string; decision: Decision }[] = [];
  const { askApproval } = await import('./ask-approval.ts');
  for (const call of pending) {
    decisions.push({ signal: call.signal, decision: await askApproval(call, context.screen, signal) });
  }
  // A decision wakes the run, so they are sent when nothing is left to ask.
  for (const { signal: name, decision } of decisions) await workshop.agent.decide(runId, name, decision);
  return pending.length > 0;
}

function interruption({ context, tidy }: Drive): {
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
    const what = workersExecute(context) ? 'No longer watching' : 'Stopping where it stands';
    context.screen.note(`\n${what}; once more to quit at once.`);
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
