import { totalmem } from 'node:os';
import { type LocalModelRow, localModelRow } from './models-table.ts';

/** The share of the memory that a model may take. */
const memoryShare = 0.8;
/** With less memory than this the small model is better company for what else runs. */
const enoughMemory = 8_000_000_000;

/** Bytes of memory that this process may have: the machine's, or fewer where a container says so. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Whether a model and its context leave room for everything else. */
export function fitsMemory(row: LocalModelRow, memory: number = memoryBytes()): boolean {
  return row.ramBytes <= memory * memoryShare;
}

/** The model to fetch first on a machine with so much memory. */
export function suggestedModel(memory: number = memoryBytes()): LocalModelRow {
  return localModelRow(memory < enoughMemory ? 'qwen3-0.6b' : 'qwen3-4b');
}
