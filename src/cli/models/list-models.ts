import { expectedModel } from '../choose-model.ts';
import { cleanText } from '../clean.ts';
import { type CommandContext, printJson } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { renderRow } from '../timeline.ts';
import { lookAtModel } from './look-at-model.ts';
import { modelFacts } from './model-facts.ts';
import { modelRows } from './model-rows.ts';

/** What model would be used and why, what was looked for, and what else there is. Never shows a key. */
export async function listModels(context: CommandContext): Promise<ExitCode> {
  const [detected, facts] = await Promise.all([expectedModel(), modelFacts(process.env)]);
  const look = detected.found && (await lookAtModel(detected.found.id));
  const mode = look?.problem === undefined ? look?.mode : `cannot be used: ${look.problem}`;
  const use = { found: detected.found ?? null, mode: mode ?? null, looked: detected.looked };
  if (context.json) {
    printJson(context, { ...use, ...facts });
    return exitCodes.completed;
  }
  const { screen } = context;
  const paper = { columns: screen.outColumns ?? 80, style: screen.outStyle };
  for (const row of modelRows(use, facts)) screen.out(renderRow(row, paper));
  screen.out('');
  if (!detected.found) screen.out(cleanText(detected.message.slice(detected.message.indexOf('Pick one:'))));
  screen.out(`Use one: ${commandName()} run TASK --model ID`);
  return exitCodes.completed;
}
