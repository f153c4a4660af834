import { safeAnswer } from '../../checks/safe-answer.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import type { RunInput } from '../../run-input.ts';
import type { RunInfo } from '../../runtime/durable.ts';
import { storedResult } from '../../stored-result.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { type Command, type CommandContext, printJson, switchOption } from '../command.ts';
import { workersExecute } from '../engine.ts';
import { exitCodes } from '../exit-codes.ts';
import { findRun, standingOf } from '../find-run.ts';
import { commandName, shortId } from '../hints.ts';
import { type Archive, openArchive } from '../home.ts';
import { count, plural } from '../numbers.ts';
import { callList, pendingCalls } from '../pending-calls.ts';
import { resultJson, resultText } from '../result-text.ts';
import type { Row } from '../row.ts';
import { taskOf } from '../task-of.ts';
import { renderRow } from '../timeline.ts';
import { editedRows, rowsOf } from '../timeline-rows.ts';

/** `assay show RUN`: what was asked, planned, answered and checked, what it took, and what the journal holds. */
export const command: Command = async (context) => {
  const archive = await openArchive(context.home);
  try {
    const run = await findRun(archive.host, context.args[0] ?? '');
    if (switchOption(context, 'web')) {
      const { showWeb } = await import('../serve/show-web.ts');
      return await showWeb(run, context);
    }
    if (switchOption(context, 'answer')) showAnswer(run, context);
    else if (switchOption(context, 'events')) showEvents(await archive.events.read(run.id), context);
    else await showRun(run, archive, context);
    return exitCodes.completed;
  } finally {
    await archive.close();
  }
};

function showAnswer(run: RunInfo, context: CommandContext): void {
  const result = storedResult(run);
  const answer = result?.answer;
  if (context.json) printJson(context, { run: run.id, answer: answer ?? null });
  else if (!result || answer === undefined) context.screen.note(`The run ${run.id} has no answer (${run.state}).`);
  else context.screen.out(cleanText(safeAnswer({ ...result.attempt, answer })));
}

function showEvents(events: readonly RunEvent[], context: CommandContext): void {
  const { screen } = context;
  if (context.json) {
    for (const event of events) screen.out(JSON.stringify(event));
    return;
  }
  for (const row of events.flatMap(rowsOf)) printRow(row, context);
}

interface Journal {
  entries: number;
  /** How many entries each kind of step has: `turn`, `tool.searchDocs`, `plan`. */
  steps: Record<string, number>;
}

async function showRun(run: RunInfo, archive: Archive, context: CommandContext): Promise<void> {
  const journal = await summarise(run.id, archive);
  const standing = await standingOf(archive.host, run);
  const result = storedResult(run);
  const pending = pendingCalls(run, await archive.events.read(run.id));
  if (context.json) {
    const { output: _output, ...rest } = run;
    printJson(context, {
      ...rest,
      state: standing,
      ...(result && { result: resultJson(result) }),
      pending: pending.map(({ signal, callId, request }) => ({
        signal,
        callId,
        tool: request?.tool,
        args: request?.args,
      })),
      journal,
    });
    return;
  }
  for (const row of [...headRows(run, standing), ...(result ? attemptRows(result) : []), journalRow(journal)]) {
    printRow(row, context);
  }
  const { screen } = context;
  screen.out('');
  const { outColumns, outStyle } = screen;
  const { typed } = context.home;
  const elsewhere = workersExecute(context);
  if (result) screen.out(resultText(result, { outColumns, outStyle, typed }));
  else screen.out(unfinished(run, { standing, calls: callList(pending), typed, elsewhere }));
}

async function summarise(runId: string, archive: Archive): Promise<Journal> {
  const journal: Journal = { entries: 0, steps: {} };
  for await (const { key } of archive.host.journal(runId)) {
    journal.entries++;
    const name = key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/, '');
    journal.steps[name] = (journal.steps[name] ?? 0) + 1;
  }
  return journal;
}

function headRows(run: RunInfo, standing: string): Row[] {
  const { input, constraints } = taskOf(run);
  // Where an agent made the run, this is what it wrote; what another program wrote has no such member.
  const { edited = [] }: Partial<RunInput> = Object(run.input);
  const began = new Date(run.created).toISOString().slice(0, 19).replace('T', ' ');
  return [
    { label: 'run', text: run.id },
    ...(run.forkedFrom === undefined
      ? []
      : [{ label: '', text: `goes on from ${run.forkedFrom}`, tone: 'dim' as const }]),
    { label: 'began', text: `${began} UTC, ${standing}`, tone: 'dim' },
    { label: 'task', text: cleanLine(input), tone: 'bold' },
    ...constraints.map((text) => ({ label: '', text: `must: ${cleanLine(text)}` })),
    ...editedRows(edited),
  ];
}

function attemptRows({ attempt }: Result): Row[] {
  const { plan } = attempt;
  const planned =
    plan?.steps.map((step): Row => ({ label: '', text: `${step.status}: ${cleanLine(step.objective)}` })) ?? [];
  const seen = attempt.observations.map(
    (observation, index): Row => ({
      label: index === 0 ? 'seen' : '',
      text: `${observation.id} ${cleanLine(observation.tool)} ${observation.status}: ${cleanLine(observation.content.slice(0, 300))}`,
      short: true,
    }),
  );
  const judged = attempt.reports.map(
    (report, index): Row => ({
      label: index === 0 ? 'judged' : '',
      text: `${report.verdict} by ${cleanLine(report.by)}${report.issues.length > 0 ? `, ${plural(report.issues.length, 'issue')}: ${report.issues.map((issue) => cleanLine(issue.detail)).join('; ')}` : ''}`,
    }),
  );
  return [...(plan ? [{ label: 'plan', text: cleanLine(plan.goal) }, ...planned] : []), ...seen, ...judged];
}

function journalRow({ entries, steps }: Journal): Row {
  const kinds = Object.entries(steps).map(([name, times]) => `${cleanLine(name)} ${count(times)}`);
  return {
    label: 'journal',
    text: `${plural(entries, 'entry').replace('entrys', 'entries')}: ${kinds.join(', ')}`,
    tone: 'dim',
  };
}

function unfinished(run: RunInfo, how: { standing: string; calls: string; typed: string; elsewhere: boolean }): string {
  const id = shortId(run.id);
  const name = commandName();
  if (how.calls !== '')
    return `Waits for a human:\n${how.calls}\nDecide: ${name} approve ${id}${how.typed}   or   ${name} deny ${id}${how.typed} --reason TEXT`;
  if (how.standing === 'running')
    return how.elsewhere
      ? `A worker executes it, or it waits for one. Follow it: ${name} resume ${id}${how.typed}`
      : 'It is being executed by another process.';
  const why = run.error === undefined ? '' : ` (${cleanLine(run.error)})`;
  return `It is ${how.standing}${why}. Go on with: ${name} resume ${id}${how.typed}`;
}

function printRow(row: Row, { screen }: CommandContext): void {
  // What is shown here is the result of the command: it goes to stdout, with the measure of stdout.
  screen.out(renderRow(row, { columns: screen.outColumns ?? 80, style: screen.outStyle }));
}
