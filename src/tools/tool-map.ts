import { UsageError } from '../core/errors.ts';
import type { Tool } from './tool.ts';

/** Names the loop keeps for itself. */
const reserved = ['final', 'update_plan', 'readObservation'];

/** The tools by name. Throws `UsageError` for a name that is taken, reserved or blank. */
export function toolMap(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (tool.name.trim() === '') throw new UsageError('A tool has no name. Give it one that says what it does.');
    if (reserved.includes(tool.name)) {
      throw new UsageError(`A tool cannot be named '${tool.name}': the loop uses ${reserved.join(', ')} itself.`);
    }
    if (map.has(tool.name)) throw new UsageError(`Two tools are named '${tool.name}'. Rename one of them.`);
    map.set(tool.name, tool);
  }
  return map;
}
