/** What an evaluation concluded, beside its records. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AblationFindings } from './findings.ts';

/** Its name in the folder of an evaluation. */
export const findingsFile = 'findings.json';

export function storeFindings(folder: string, findings: AblationFindings): void {
  writeFileSync(join(folder, findingsFile), `${JSON.stringify(findings, null, 2)}\n`);
}

/** Undefined for an evaluation that was no ablation. */
export function storedFindings(folder: string): AblationFindings | undefined {
  const file = join(folder, findingsFile);
  // Only `storeFindings` writes it.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AblationFindings) : undefined;
}
