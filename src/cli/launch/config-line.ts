import { readFileSync } from 'node:fs';

/** Where an option of the agent stands in its configuration file: `assay.config.ts:12`, or the file alone where it is not there yet. */
export function configLine(file: string, option: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const name = file.replace(/^.*[\\/]/, '');
  const at = lines.findIndex((line) => new RegExp(`^\\s*${option}\\s*[:,]`).test(line));
  return at < 0 ? `${name} (has no ${option} yet)` : `${name}:${at + 1}`;
}
