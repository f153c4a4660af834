import { messageOf } from '../../../core/errors.ts';

/** The system's code of an error, such as `ENOENT`, instead of its message, which would tell the model absolute paths. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}
