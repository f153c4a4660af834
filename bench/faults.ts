/**
 * `npm run bench:faults [-- --runs N --seed N --show FAULT]`: what becomes of faults that a simulated actor commits on tasks with known
 * answers. `--show` prints runs of one fault that code did not catch, or with `clean` its false alarms. Exits with 1 when a target is missed.
 */
import { parseArgs } from 'node:util';
import { type FaultName, faultNames } from '../src/testing/faulty-model.ts';
import { type Material, materialFor, trialsOf } from './faults/bench.ts';
import { configurationNames, verifierDetects } from './faults/configurations.ts';
import { legend, type Row, reportBaselines, reportExamples, reportFull } from './faults/report.ts';
import { type Tally, tallyOf } from './faults/tally.ts';
import { missedByClean, missedTargets } from './faults/targets.ts';

const shownExamples = 8;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string' },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
if (!(Number.isInteger(runs) && runs > 0 && Number.isInteger(seed)))
  throw new Error('--runs takes a whole number above 0 and --seed a whole number');

console.log(`The models are SIMULATED. The actor commits the named fault in every run and mends it after a report with probability 0.75; what it
says is made from the facts of generated tasks. The verifier knows the truth and overlooks ${Math.round((1 - verifierDetects) * 100)} % of what is untrue: its column shows the path,
not a model's skill. How often a real model commits a fault is not measured. ${runs} runs of each fault, seed ${seed}.`);
const material = materialFor(runs, seed);
if (values.show === undefined) process.exitCode = (await everything(material)) ? 0 : 1;
else await examples(values.show, material);

async function everything(on: Material): Promise<boolean> {
  const began = performance.now();
  const rows: Row[] = [];
  for (const fault of [undefined, ...faultNames]) {
    const tallies: [string, Tally][] = [];
    for (const name of configurationNames) tallies.push([name, tallyOf(await trialsOf(fault, name, on))]);
    // One entry for every name.
    rows.push({ fault, tallies: Object.fromEntries(tallies) as Row['tallies'] });
  }
  console.log(`\n${legend}`);
  reportFull(rows);
  reportBaselines(rows);
  const missed = rows.flatMap(({ fault, tallies: { full } }) =>
    fault === undefined ? missedByClean(full) : missedTargets(fault, full),
  );
  console.log(`
Targets: code catches at least 99 % of each fault it can see, at most 1 % false alarms, and what was caught ends repaired or reported.
${missed.length === 0 ? 'All targets are met.' : ['Missed:', ...missed].join('\n  ')}
Simulated models; ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  return missed.length === 0;
}

async function examples(shown: string, on: Material): Promise<void> {
  const fault: FaultName | undefined = faultNames.find((name) => name === shown);
  if (fault === undefined && shown !== 'clean')
    throw new Error(`--show ${shown}: the faults are ${faultNames.join(', ')}, and clean`);
  reportExamples(fault, await trialsOf(fault, 'full', on), shownExamples);
}
