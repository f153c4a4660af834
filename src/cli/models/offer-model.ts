import { aboutSize, sizeText } from '../../model/local/bytes.ts';
import { modelsFolder } from '../../model/local/cache-folder.ts';
import { suggestedModel } from '../../model/local/memory.ts';
import type { LocalModelRow } from '../../model/local/models-table.ts';
import { duration } from '../numbers.ts';
import type { Screen } from '../screen.ts';
import { wrap } from '../width.ts';
import { askYes } from './ask-yes.ts';
import { pullWithProgress } from './pull-with-progress.ts';

/** The rate that the told time assumes, in bytes a second: a line of 50 Mbit/s. */
const assumedRate = 6_250_000;

/** Whether a download may be offered: a human is there, and nobody said that nothing is to be fetched. */
export function mayOffer(screen: Screen, env: NodeJS.ProcessEnv): boolean {
  return screen.canAsk && !env['CI'] && !isOffline(env);
}

/** Whether the user said that nothing is to be fetched: `ASSAY_OFFLINE=1`. */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  return /^(1|true|yes)$/i.test(env['ASSAY_OFFLINE']?.trim() ?? '');
}

/** Offers to fetch a model that runs here, with what that takes. Its id when the human agreed and it came; undefined for a no. */
export async function offerModel(screen: Screen, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const row = suggestedModel();
  for (const text of offerTexts(row, env)) {
    for (const line of wrap(text, screen.columns)) screen.note(line);
  }
  if (!(await askYes('Download it now?'))) return undefined;
  await pullWithProgress(row, screen, { env });
  return `local:${row.name}`;
}

function offerTexts(row: LocalModelRow, env: NodeJS.ProcessEnv): string[] {
  const { size, licence, ramBytes, name } = row;
  const time = duration(Math.round(size / assumedRate) * 1_000);
  return [
    'No key, no model server and no model file was found here (assay models says what was looked for).',
    `A model can run in this process instead: ${name}, ${aboutSize(size)}, licence ${licence}, and 45 MB of llama.cpp.`,
    `  It goes to ${modelsFolder(env)}, needs ${sizeText(ramBytes)} of memory, and takes about ${time} on a line of 50 Mbit/s.`,
    '  Without it: set a key such as OPENAI_API_KEY, or start a server such as Ollama. ASSAY_OFFLINE=1 never asks.',
  ];
}
