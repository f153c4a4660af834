/**
 * `npm run bench:concurrent [-- assay ai langgraph …] [--runs N] [--rounds N]`: many runs at once in one process, beside peers. Each
 * contender runs in a process of its own, warmed up, in turn with the others.
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Entrant, entrants, idle, versionOf } from './concurrent/contenders.ts';
import { installPeers } from './concurrent/install-peers.ts';
import type { Measurement } from './concurrent/measurement.ts';
import { type Measured, reportFigures, reportRatios } from './concurrent/report.ts';

const delayMs = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '3' } },
});
const [runs, rounds] = [Number(values.runs), Number(values.rounds)];
if (!(Number.isInteger(runs) && runs > 0 && Number.isInteger(rounds) && rounds > 0))
  throw new Error('--runs and --rounds take whole numbers above 0');
const unknown = positionals.filter((id) => !entrants.some((entrant) => entrant.id === id));
if (unknown.length > 0)
  throw new Error(`no contender is named ${unknown.join(', ')}: they are ${entrants.map(({ id }) => id).join(', ')}`);

const build = fileURLToPath(new URL('../scripts/build.ts', import.meta.url));
execFileSync(process.execPath, [build], { stdio: 'inherit' });
const present = presentOf(entrants.filter(({ id }) => positionals.length === 0 || positionals.includes(id)));

console.log(`The model is SIMULATED: it answers after ${delayMs} ms with a call of one tool, and the tenth time with an answer. No figure here is a real model's.
Node ${process.versions.node}, ${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(1)} before the start (with other work on the machine only CPU and memory count).`);
const idles: Measurement[] = [];
const all = present.map((entrant): Measured => ({ entrant, rounds: [] }));
for (let round = 0; round < rounds; round++) {
  console.error(`bench: round ${round + 1} of ${rounds} ...`);
  idles.push(inOwnProcess(idle));
  for (const { entrant, rounds: taken } of all) taken.push(inOwnProcess(entrant.id));
}
const load = { runs, delayMs, idle: idles };
reportFigures(all, load);
reportRatios(all, load);

/** Installs what is missing if it can; says who is left out. */
function presentOf(wanted: readonly Entrant[]): Entrant[] {
  if (wanted.some((entrant) => entrant.package.startsWith('bench/peers/'))) installPeers();
  return wanted.filter((entrant) => {
    const isThere = versionOf(entrant) !== undefined;
    if (!isThere) console.log(`${entrant.name} is not installed: it is left out.`);
    return isThere;
  });
}

function inOwnProcess(id: string): Measurement {
  const worker = fileURLToPath(new URL('concurrent/worker.ts', import.meta.url));
  const args = ['--expose-gc', worker, '--entrant', id, '--runs', `${runs}`, '--delay-ms', `${delayMs}`];
  // Printed by the worker.
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Measurement;
}
