import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { messageOf, StateError } from '../../../core/errors.ts';
import { jsonObject } from './definition.ts';
import { mergedPins, type PinnedTool, type ToolPins } from './pins.ts';

const definition = z.object({
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.exactOptional(),
  annotations: jsonObject,
});
const pinned = z.object({ name: z.string(), fingerprint: z.string().startsWith('sha256:'), definition });
const contents = z.object({
  version: z.literal(1),
  servers: z.array(z.object({ name: z.string(), tools: z.array(pinned) })),
});
type Contents = z.infer<typeof contents>;

const lockWaitMs = 5_000;
/** A writer that holds the lock for longer has died. */
const lockStaleMs = 15_000;

/**
 * Pins in a JSON file that people can read and keep under version control. Written whole or not at all, one writer at a time.
 * Throws `StateError` for a file that cannot be read: a lost pin must not pass for a first use.
 */
export function filePins(file: string): ToolPins {
  const at = path.resolve(file);
  return {
    get: async (server) => (await read(at)).servers.find(({ name }) => name === server)?.tools,
    accept: async (server, tools) => {
      await mkdir(path.dirname(at), { recursive: true });
      await locked(`${at}.lock`, async () => replace(at, withTools(await read(at), server, tools)));
    },
  };
}

function withTools({ servers }: Contents, server: string, tools: readonly PinnedTool[]): Contents {
  const before = servers.find(({ name }) => name === server)?.tools ?? [];
  const others = servers.filter(({ name }) => name !== server);
  return { version: 1, servers: [...others, { name: server, tools: mergedPins(before, tools) }] };
}

async function read(file: string): Promise<Contents> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { version: 1, servers: [] };
    throw unusable(file, messageOf(error));
  }
  try {
    return contents.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : messageOf(error);
    throw unusable(file, why);
  }
}

function unusable(file: string, why: string): StateError {
  return new StateError(
    `the accepted MCP tools in ${file} cannot be read (${why}): restore the file, or delete it to trust every server anew`,
  );
}

async function replace(file: string, value: Contents): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function locked(lock: string, work: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + lockWaitMs;
  while (!(await claimed(lock))) {
    if (Date.now() > deadline) {
      throw new StateError(
        `${lock} is held by another process: try again, or delete it if no other process is running`,
      );
    }
    await wait(20);
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function claimed(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > lockStaleMs) await rm(lock, { force: true });
    return false;
  }
}
