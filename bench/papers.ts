/**
 * `npm run bench:papers [-- --traces FOLDER] [--data FOLDER] [--only PART,…]`: outputs that papers' authors released, fed through
 * our own code. FOLDER holds METRICS.json and a folder per paper; without it a `traces` folder is looked for in the folders beside
 * the project, and if there is none, nothing is measured. The tasks are in `data` beside it. Exits with 1 when a figure differs
 * from the recorded one.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchPapers } from './papers/bench-papers.ts';
import { cruxEval } from './papers/cruxeval.ts';
import { fever } from './papers/fever.ts';
import { game24Search } from './papers/game24-search.ts';
import { game24Votes } from './papers/game24-votes.ts';
import { gsm8k } from './papers/gsm8k.ts';
import { hotpotQa } from './papers/hotpot-qa.ts';
import { humanEval } from './papers/human-eval.ts';
import { tauBench } from './papers/tau-bench.ts';

const { values } = parseArgs({
  options: { traces: { type: 'string' }, data: { type: 'string' }, only: { type: 'string' } },
});
const parts = [game24Search, game24Votes, humanEval, hotpotQa, fever, gsm8k, cruxEval, tauBench];
process.exitCode = await benchPapers(parts, { project: fileURLToPath(new URL('..', import.meta.url)), ...values });
