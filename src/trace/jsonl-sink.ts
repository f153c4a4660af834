import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RunEvent, Sink } from '../core/event.ts';

/** Facts that only a live view needs: many, and the record says the same without them. */
const unrecorded: ReadonlySet<RunEvent['type']> = new Set(['model.delta', 'model.start']);

/**
 * Appends each event as one line of JSON to the file; `model.delta` and `model.start` are left out. The file and its folder
 * are made with the first event. A disk error rejects `write`. Every line is handed to the system before `write` resolves,
 * so a line that was written survives the process.
 */
export function jsonlSink(file: string): Sink {
  let opening: Promise<FileHandle> | undefined;
  let last: Promise<void> = Promise.resolve();

  const append = async (line: string): Promise<void> => {
    opening ??= openForAppend(file);
    const handle = await opening;
    await handle.appendFile(line);
  };
  return {
    name: `jsonl:${file}`,
    write(event) {
      if (unrecorded.has(event.type)) return;
      // Each write waits for the one before, also when the caller does not.
      last = last.then(() => append(`${JSON.stringify(event)}\n`));
      return last;
    },
    async close() {
      try {
        await last;
      } finally {
        const handle = await opening?.catch(() => undefined);
        await handle?.close();
      }
    },
  };
}

/** The file, with a torn last line of a killed process ended, so that the next event starts a line of its own. */
async function openForAppend(file: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'a+');
  const { size } = await handle.stat();
  if (size === 0) return handle;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString() !== '\n') await handle.appendFile('\n');
  return handle;
}
