import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Decision } from '../../core/turn.ts';
import { parseJson } from '../../model/parse.ts';
import type { RunInfo } from '../../runtime/durable.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, printJson, switchOption, textOption } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { commandName, shortId } from '../hints.ts';
import { openArchive } from '../home.ts';
import { chosenCalls, describeCall, pendingCalls } from '../pending-calls.ts';
import { renderRow } from '../timeline.ts';
import { goOn } from './resume.ts';

/** `assay approve RUN [CALL]`: lets a waiting call happen and goes on with the run. */
export const approve: Command = (context) => {
  const args = textOption(context, 'args');
  return decide({ approved: true, ...(args !== undefined && { args: parsedArguments(args) }) }, context);
};

/** `assay deny RUN [CALL] --reason TEXT`: refuses it; the model is told why. */
export const deny: Command = (context) =>
  decide({ approved: false, reason: textOption(context, 'reason') ?? 'the user said no' }, context);

async function decide(decision: Decision, context: CommandContext): Promise<ExitCode> {
  const run = await record(decision, context);
  if (context.options['resume'] !== false) return goOn(run, context);
  if (context.json) printJson(context, { run: run.id, ...decision });
  else context.screen.out(`Recorded. Go on with: ${commandName()} resume ${shortId(run.id)}${context.home.typed}`);
  return exitCodes.completed;
}

/** Writes the decision on each chosen call into the journal. */
async function record(decision: Decision, context: CommandContext): Promise<RunInfo> {
  const { screen } = context;
  const archive = await openArchive(context.home);
  try {
    const run = await findRun(archive.host, context.args[0] ?? '');
    const pending = pendingCalls(run, await archive.events.read(run.id));
    if (pending.length === 0) throw new UsageError(nothingWaits(run, context.home.typed));
    for (const call of chosenCalls(pending, { call: context.args[1], all: switchOption(context, 'all') })) {
      const recorded = await archive.host.signal(run.id, call.signal, decision);
      const first = recorded === 'delivered';
      const word = first ? (decision.approved ? 'approved' : 'denied') : 'decided before, the first decision holds';
      for (const text of [`${word}: ${describeCall(call).slice(0, 2).join(' ')}`]) {
        screen.note(
          renderRow({ label: 'approval', text, tone: decision.approved && first ? 'green' : 'yellow' }, screen),
        );
      }
    }
    return run;
  } finally {
    await archive.close();
  }
}

/** Throws `UsageError` for what is no JSON object: it would run a call nobody has seen. */
function parsedArguments(text: string): Json {
  const parsed = parseJson(text);
  const object = parsed.ok && parsed.value !== null && typeof parsed.value === 'object' && !Array.isArray(parsed.value);
  if (object && parsed.repairs.length === 0) return parsed.value;
  throw new UsageError(`--args is no JSON object: ${cleanLine(text)}. Write for example --args '{"sum": 3}'.`);
}

function nothingWaits(run: RunInfo, typed: string): string {
  const how =
    run.state === 'running'
      ? `If it was interrupted, go on with: ${commandName()} resume ${shortId(run.id)}${typed}`
      : `It is ${run.state}.`;
  return `No call of the run ${run.id} waits for a decision. ${how}`;
}
