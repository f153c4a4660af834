import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { messageOf, UsageError } from '../../core/errors.ts';

const again = 'Delete it and get it again, for example with: assay models pull';

/** Throws `UsageError` that says which file it is and what to do, when this cannot be a model. Reads its first bytes only. */
export function checkModelFile(file: string): void {
  const start = startOf(file);
  if (start.startsWith('GGUF')) return;
  throw new UsageError(`${file} is no model file: ${whatItIs(start)}. ${again}`);
}

function startOf(file: string): string {
  try {
    if (!statSync(file).isFile()) throw new UsageError(`${file} is no file: name a model file (.gguf).`);
    const handle = openSync(file, 'r');
    const buffer = Buffer.alloc(64);
    const length = readSync(handle, buffer);
    closeSync(handle);
    return buffer.toString('latin1', 0, length);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const missing = Reflect.get(Object(error), 'code') === 'ENOENT';
    const why = missing ? 'There is no such file' : messageOf(error);
    throw new UsageError(
      `The model file ${file} cannot be read. ${why}. Check the path, or get a model: assay models pull`,
      { cause: error },
    );
  }
}

function whatItIs(start: string): string {
  if (start === '') return 'it is empty';
  if (/^\s*</.test(start)) return 'it is a web page (HTML), as a download leaves it that was answered with an error';
  if (start.startsWith('version https://git-lfs')) return 'it is a pointer of Git LFS, not the file itself';
  return 'it does not begin as a GGUF file does';
}

/** The error for a file that begins well and yet cannot be loaded. `said` is what llama.cpp logged. */
export function unloadable(file: string, said: readonly string[], cause: unknown): UsageError {
  const reason = said[0] ?? messageOf(cause);
  const about =
    said.find((line) => /unknown (model )?architecture|tensor '.*' data is not within|corrupt/i.test(line)) ?? reason;
  const remedy = /unknown (model )?architecture/i.test(about)
    ? 'This version of llama.cpp does not know the architecture: take another model.'
    : `It is incomplete or damaged. ${again}`;
  return new UsageError(`The model file ${file} cannot be loaded: ${about.trim().replace(/\.$/, '')}. ${remedy}`, {
    cause,
  });
}
