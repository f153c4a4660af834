import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const longestMs = 60_000;

/** What the adapter asks of the library before it loads a model. The library tries its build in a child that gets the same options. */
const program = (address: string): string => `
  process.execArgv = [];
  const { getLlama } = await import(${JSON.stringify(address)});
  await getLlama({ gpu: 'auto', build: 'never', skipDownload: true, progressLogs: false, logLevel: 'disabled' });
  process.exit(0);`;

/**
 * Whether the library of this file runs here, tried in a process of its own since native code may crash. Undefined when it does, else why
 * not, in one line.
 */
export function tryLibrary(
  entry: string,
  { env, signal }: { env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const args = ['--no-warnings', '--input-type=module', '--eval', program(pathToFileURL(entry).href)];
    const options = { env: { ...env }, timeout: longestMs, ...(signal && { signal }) };
    execFile(process.execPath, args, options, (error, _stdout, stderr) => {
      if (signal?.aborted) reject(signal.reason);
      else resolve(error ? faultIn(stderr, error) : undefined);
    });
  });
}

/** The line that names the error; how the process ended when there is none. */
function faultIn(stderr: string, { code, signal }: { code?: unknown; signal?: unknown }): string {
  const named = stderr.split('\n').find((line) => /^\s*(?:\w*Error\b.*|\[?cause\]?): /.test(line));
  return named?.trim() ?? `its process ended with ${signal ?? code}`;
}
