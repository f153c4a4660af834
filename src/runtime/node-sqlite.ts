import { createRequire } from 'node:module';
import { messageOf, UsageError } from '../core/errors.ts';

/**
 * `node:sqlite`, loaded at the first use: importing the library must stay cheap and quiet, and works where the module is
 * missing. Throws `UsageError` where it is.
 */
export function nodeSqlite(): typeof import('node:sqlite') {
  try {
    return createRequire(import.meta.url)('node:sqlite');
  } catch (error) {
    throw new UsageError(`this Node has no node:sqlite (${messageOf(error)}): use Node 22.18 or newer`);
  }
}
