import { totalmem } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { sizeText } from '../../model/local/bytes.ts';
import { modelsFolder } from '../../model/local/cache-folder.ts';
import { type LocalModelRow, localModelRow } from '../../model/local/models-table.ts';
import { duration } from '../numbers.ts';
import type { Screen } from '../screen.ts';
import { pullWithProgress } from './pull-with-progress.ts';

/** The rate that the told time assumes, in bytes a second: a line of 50 Mbit/s. */
const assumedRate = 6_250_000;
/** With less memory than this the small model is offered. */
const enoughMemory = 8_000_000_000;

/** Whether a download may be offered: a human is there, and nobody said that nothing is to be fetched. */
export function mayOffer(screen: Screen, env: NodeJS.ProcessEnv): boolean {
  return screen.canAsk && !env['CI'] && env['ASSAY_OFFLINE'] !== '1';
}

/** Offers to fetch a model that runs here, with what that takes. Its id when the human agreed and it came; undefined for a no. */
export async function offerModel(screen: Screen, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const row = offered(totalmem());
  for (const line of offerLines(row, env)) screen.note(line);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // The reader takes Ctrl-C as a key of its own; the process has to hear of it.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const typed = await reader.question('Download it now? y = yes, n = no [n]: ').finally(() => reader.close());
  if (!/^\s*(y|yes|是|好)\s*$/i.test(typed)) return undefined;
  await pullWithProgress(row, screen, { env });
  return `local:${row.name}`;
}

/** The model to offer on a machine with so much memory. */
export function offered(memory: number): LocalModelRow {
  return localModelRow(memory < enoughMemory ? 'qwen3-0.6b' : 'qwen3-4b');
}

function offerLines(row: LocalModelRow, env: NodeJS.ProcessEnv): string[] {
  const time = duration((row.size * 1_000) / assumedRate);
  return [
    'No key, no model server and no model file was found here (assay models says what was looked for).',
    `A model can run in this process instead: ${row.name}, ${sizeText(row.size)} and 45 MB of llama.cpp, licence ${row.licence},`,
    `  needs ${sizeText(row.ramBytes)} of memory; about ${time} on a line of 50 Mbit/s; goes to ${modelsFolder(env)}`,
  ];
}
