import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { runProcess } from '../../tools/process/run-process.ts';

/** Modules and types of an environment that the check does not have: no fault of the code. */
const unknownModules = /\bTS(?:2307|2580|2584|2591|2792|7016)\b/;
const timeoutMs = 60_000;
const maxOutputBytes = 256 * 1024;

/**
 * The errors that the TypeScript compiler finds in a file of its own with this code, strict and without any package. The
 * compiler only reads; nothing is run and nothing is resolved. Throws `UsageError` when the package `typescript` is not
 * installed.
 */
export async function typeErrors(source: string, signal: AbortSignal): Promise<string[]> {
  const compiler = compilerPath();
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-types-'));
  try {
    await writeFile(path.join(folder, 'answer.ts'), source);
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const end = await runProcess({
      program: process.execPath,
      args: [compiler, '-p', folder, '--pretty', 'false'],
      ...{ cwd: folder, timeoutMs, maxOutputBytes, signal },
    });
    if (end.stopped) return [`the type check was ended: ${end.stopped}`];
    const lines = end.stdout.toString('utf8').split('\n');
    return lines.filter((line) => /\berror TS\d+:/.test(line) && !unknownModules.test(line)).map((line) => line.trim());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const settings = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, noResolve: true, skipLibCheck: true, types: [] },
    ...{ target: 'es2023', module: 'esnext', moduleDetection: 'force', lib: ['es2023', 'dom'] },
  },
  files: ['answer.ts'],
};

function compilerPath(): string {
  const { resolve } = createRequire(import.meta.url);
  try {
    return path.join(path.dirname(resolve('typescript/package.json')), 'bin', 'tsc');
  } catch {
    throw new UsageError('typeCheck needs the package typescript, which is not installed: npm install typescript');
  }
}
