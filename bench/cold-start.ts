import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median, printTable } from './measure.ts';

const rounds = 15;
const root = fileURLToPath(new URL('..', import.meta.url));

/** Whole processes, in turn, against an empty one; the compiled package, as a user runs it, and the source of a checkout. */
export function benchColdStart(folder: string): void {
  writeFileSync(`${folder}/empty.mjs`, '');
  const compiled = `${folder}/assay.mjs`;
  writeFileSync(
    compiled,
    `import { main } from ${JSON.stringify(`file://${root}dist/cli/main.js`)};\nawait main(process.argv.slice(2));\n`,
  );
  const script = `${folder}/two-steps.json`;
  const call = { calls: [{ tool: 'calculator', input: { expression: '37 * 129' } }] };
  const end = { calls: [{ tool: 'final', input: { answer: '4773', claims: [] } }] };
  writeFileSync(script, JSON.stringify({ replies: [call, end] }));
  const run = [
    'run',
    'what is 37 times 129',
    '--model',
    `script:${script}`,
    '--layers',
    'none',
    '--home',
    `${folder}/home`,
  ];
  const source = `${root}bin/assay.js`;
  const commands: [name: string, args: string[]][] = [
    ['empty node process', [`${folder}/empty.mjs`]],
    ['assay --help', [compiled, '--help']],
    ['two-step scripted run', [compiled, ...run]],
    ['assay --help, from source', [source, '--help']],
    ['two-step scripted run, from source', [source, ...run]],
  ];
  const times = commands.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, [, args]] of commands.entries()) times[at]?.push(processTime(args, folder));
  }
  const empty = median(times[0] ?? []);
  printTable('cold start, ms', [
    ['', 'median', 'over empty'],
    ...commands.map(([name], at) => [name, median(times[at] ?? []), median(times[at] ?? []) - empty]),
  ]);
}

function processTime(args: string[], folder: string): number {
  const began = performance.now();
  const done = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const ms = performance.now() - began;
  // 4: the two-step run has no layers, so its answer is not verified.
  if (done.status !== 0 && done.status !== 4)
    throw new Error(`${args.join(' ')} ended with ${done.status}: ${done.stderr}`);
  return ms;
}
