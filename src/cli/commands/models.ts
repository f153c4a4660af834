import { UsageError } from '../../core/errors.ts';
import { aboutSize, sizeText } from '../../model/local/bytes.ts';
import { modelsFolder } from '../../model/local/cache-folder.ts';
import { hubFile } from '../../model/local/hub.ts';
import { fitsMemory, memoryBytes, suggestedModel } from '../../model/local/memory.ts';
import { type LocalModelRow, localModelRow, localModels, rowOfFile } from '../../model/local/models-table.ts';
import type { Pulled } from '../../model/local/pull-model.ts';
import { type Command, type CommandContext, printJson, switchOption, textOption } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { askYes } from '../models/ask-yes.ts';
import { listModels } from '../models/list-models.ts';
import { isOffline } from '../models/offer-model.ts';
import { pullWithProgress } from '../models/pull-with-progress.ts';
import { wrap } from '../width.ts';

/** `assay models`: what would be used and why; `pull` and `remove` for models that run in this process. */
export const command: Command = async (context) => {
  const [action = 'list', name] = context.args;
  switch (action) {
    case 'pull':
      return pull(name, context);
    case 'remove':
      return remove(name, context);
    default:
      return listModels(context);
  }
};

async function pull(name: string | undefined, context: CommandContext): Promise<ExitCode> {
  const { env } = process;
  const file = textOption(context, 'file');
  const from = textOption(context, 'from');
  const row = wantedRow(name, file);
  if (file === undefined && isOffline(env)) {
    throw new UsageError(
      'ASSAY_OFFLINE is set, so nothing is fetched. Unset it, or import a file that was got by other means: assay models pull NAME --file PATH',
    );
  }
  if (!(await agrees(row, context))) return exitCodes.completed;
  if (file === undefined) {
    const { host } = new URL(hubFile(row, env, from).url);
    const { name: id, size, licence } = row;
    say(`${id}: ${aboutSize(size)} from ${host} to ${modelsFolder(env)}, licence ${licence}`, context);
  }
  const pulled = await pullWithProgress(row, context.screen, { env, file, from });
  report(row, pulled, context);
  return exitCodes.completed;
}

function wantedRow(name: string | undefined, file: string | undefined): LocalModelRow {
  if (name !== undefined) return localModelRow(name);
  if (file === undefined) return suggestedModel();
  const row = rowOfFile(file);
  if (row) return row;
  throw new UsageError(
    `${file} is called like no model of the table. Name the one it is (${localModels.map((one) => one.name).join(', ')}): ` +
      `assay models pull NAME --file ${file}. Any other model file is used by its path: --model local:${file}`,
  );
}

/** A model that is too large for this machine is fetched only if somebody says so. */
async function agrees(row: LocalModelRow, context: CommandContext): Promise<boolean> {
  if (fitsMemory(row) || switchOption(context, 'yes')) return true;
  const problem = `${row.name} needs ${sizeText(row.ramBytes)} of memory, and this machine has ${sizeText(memoryBytes())}.`;
  if (!context.screen.canAsk) {
    const other = suggestedModel();
    throw new UsageError(
      `${problem} Take a smaller one (assay models pull ${other.name}), or fetch it all the same with --yes.`,
    );
  }
  say(problem, context);
  return askYes('Fetch it all the same?');
}

function report(row: LocalModelRow, pulled: Pulled, context: CommandContext): void {
  const id = `local:${row.name}`;
  if (context.json) {
    printJson(context, { id, ...pulled });
    return;
  }
  const { screen } = context;
  const { file, bytes, sha256, trust, already } = pulled;
  const texts = [
    `${id} ${already ? 'is there already' : 'is ready'}: ${file} (${sizeText(bytes)})`,
    `SHA-256 ${sha256}: ${trustText(trust)}.`,
    `Use it: ${commandName()} run TASK --model ${id}`,
  ];
  for (const text of texts) screen.out(screen.outColumns ? wrap(text, screen.outColumns).join('\n') : text);
}

function say(text: string, { screen }: CommandContext): void {
  for (const line of wrap(text, screen.columns)) screen.note(line);
}

function trustText(trust: Pulled['trust']): string {
  switch (trust) {
    case 'table':
      return 'as this version of Assay expects';
    case 'first-download':
      return 'the same as at the first download';
    case 'hub':
      return 'as the hub says; later downloads are held to it';
    case 'none':
      return 'nothing said what it should be, so this first file is trusted and later ones are held to it';
    default:
      return trust satisfies never;
  }
}

async function remove(name: string | undefined, context: CommandContext): Promise<ExitCode> {
  if (name === undefined) throw new UsageError('Name the model to remove: assay models remove NAME');
  const row = localModelRow(name);
  const { removeModel } = await import('../../model/local/pull-model.ts');
  const removed = removeModel(row, process.env);
  if (context.json) printJson(context, { removed });
  else context.screen.out(removed ? `${row.name} is removed.` : `There is no file of ${row.name}.`);
  return exitCodes.completed;
}
