import type { Role } from '../model/model.ts';
import type { Run } from './solver.ts';

/** The rules of a role: the full text, and one for small models that leaves out what code enforces anyway. */
export interface Rules {
  full: string;
  short: string;
}

/** The text that fits the model of the role. */
export function rulesFor(run: Run, role: Role, { full, short }: Rules): string {
  return run.sizeOf?.(role)?.small ? short : full;
}
