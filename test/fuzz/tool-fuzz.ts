/**
 * Fuzzes the built-in tools with hostile arguments and outputs: `npm run fuzz -- [--runs N] [--seed N] [--tool NAME]`.
 * A line for each tool; exit code 1 when something happened that no tool may make happen.
 */
import { parseArgs } from 'node:util';
import { UsageError } from '../../src/core/errors.ts';
import { runTarget, type TargetReport } from './run-target.ts';
import { targets } from './targets.ts';
import { startWatchdog } from './watchdog.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fffffff)) },
    tool: { type: 'string' },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  console.error('tool-fuzz: --runs and --seed are whole numbers; for example --runs 500 --seed 7 --tool readFile');
  process.exit(2);
}

console.log(`seed ${seed}, ${runs} runs for each tool`);
const failed: string[] = [];
let passed = 0;
for (const target of targets) {
  const watchdog = startWatchdog(target.limitMs + 10_000);
  const only = values.tool === undefined ? {} : { tool: values.tool };
  const fuzzed = runTarget(target, { runs, seed, ...only, onCall: watchdog.watch, report: print });
  const reports = await fuzzed.catch((error: unknown) => {
    // What a system lacks (a sandbox, an own program) is said by the tool when it is made.
    if (!(error instanceof UsageError)) throw error;
    console.log(`${target.name.padEnd(22)} not run here: ${error.message}`);
    return [];
  });
  await watchdog.stop();
  for (const { tool, violation } of reports) violation === undefined ? passed++ : failed.push(tool);
}
if (passed + failed.length === 0) failed.push(`no tool is named ${values.tool}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);

function print(report: TargetReport): void {
  const { tool, runs: made, valid, ms, executed, violation } = report;
  const counts = executed ? `${outcomesOf(executed)} of ${executed.runs} executed` : outcomesOf(report);
  const what = executed ? 'argument runs' : 'runs';
  const share = `${Math.round((100 * valid) / Math.max(1, made))} % valid`;
  const verdict = violation === undefined ? '0 violations' : `VIOLATION\n  ${violation}`;
  console.log(`${tool.padEnd(22)} ${made} ${what}, ${share}, ${counts}, ${(ms / 1_000).toFixed(1)} s, ${verdict}`);
}

function outcomesOf({ outcomes, valid }: TargetReport): string {
  const { ok, error, denied, timeout } = outcomes;
  return `ok ${ok} error ${error} denied ${denied}${timeout > 0 ? ` timeout ${timeout}` : ''} (${valid} calls)`;
}
