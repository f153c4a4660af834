import { UsageError } from '../../core/errors.ts';
import { sizeText } from '../../model/local/bytes.ts';
import { localModelRow, localModels } from '../../model/local/models-table.ts';
import type { Pulled } from '../../model/local/pull-model.ts';
import { type Command, type CommandContext, printJson, textOption } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { listModels } from '../models/list-models.ts';
import { pullWithProgress } from '../models/pull-with-progress.ts';

/** `assay models`: what would be used and why; `pull` and `remove` for models that run in this process. */
export const command: Command = async (context) => {
  const [action = 'list', name] = context.args;
  switch (action) {
    case 'pull':
      return pull(name ?? localModels[0]?.name ?? '', context);
    case 'remove':
      return remove(name, context);
    default:
      return listModels(context);
  }
};

async function pull(name: string, context: CommandContext): Promise<ExitCode> {
  const row = localModelRow(name);
  const pulled = await pullWithProgress(row, context.screen, {
    env: process.env,
    file: textOption(context, 'file'),
    from: textOption(context, 'from'),
  });
  const id = `local:${row.name}`;
  if (context.json) printJson(context, { id, ...pulled });
  else {
    const { screen } = context;
    screen.out(`${id} ${pulled.already ? 'is there already' : 'is ready'}: ${pulled.file} (${sizeText(pulled.bytes)})`);
    screen.out(`SHA-256 ${pulled.sha256}: ${trustText(pulled.trust)}`);
    screen.out(`Use it: ${commandName()} run TASK --model ${id}`);
  }
  return exitCodes.completed;
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
