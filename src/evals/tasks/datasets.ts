/** The public data sets by name, for `assay eval NAME:PATH`. The rows are the user's own copy: none are shipped. */
import { UsageError } from '../../core/errors.ts';
import { defineSuite, type Suite, type SuiteOptions } from '../suite.ts';
import { bfcl } from './bfcl/bfcl.ts';
import { cruxEval } from './crux-eval.ts';
import type { Dataset } from './dataset.ts';
import { fever } from './fever.ts';
import { gameOf24 } from './game-of-24.ts';
import { hotpotQa, hotpotQaQuestions } from './hotpot-qa.ts';
import { gsm8k, gsmHard, svamp } from './math-word-problems.ts';
import { aqua, commonsenseQa } from './multiple-choice.ts';
import { humanEval, mbpp } from './python-functions.ts';
import type { TaskSelection } from './select-tasks.ts';
import { simpleQa } from './simple-qa.ts';
import { strategyQa } from './strategy-qa.ts';
import { truthfulQa } from './truthful-qa.ts';

export interface DatasetEntry {
  /** What the rows may be used under, as their publishers say. */
  licence: string;
  /** The grader that `load` chooses without further options. */
  grader: string;
  load(path: string, selection?: TaskSelection): Dataset;
}

/** The data sets by the name that a command line gives. */
export const datasets: Readonly<Record<string, DatasetEntry>> = {
  gsm8k: { licence: 'MIT', grader: 'numeric', load: gsm8k },
  'gsm-hard': { licence: 'Apache-2.0', grader: 'numeric', load: gsmHard },
  svamp: { licence: 'MIT', grader: 'numeric', load: svamp },
  aqua: { licence: 'Apache-2.0', grader: 'choice', load: aqua },
  commonsenseqa: { licence: 'MIT', grader: 'choice', load: commonsenseQa },
  hotpotqa: { licence: 'CC BY-SA 4.0', grader: 'normalised:em', load: hotpotQa },
  'hotpotqa-questions': { licence: 'CC BY-SA 4.0', grader: 'normalised:em', load: hotpotQaQuestions },
  fever: { licence: 'CC BY-SA 3.0', grader: 'label', load: fever },
  humaneval: { licence: 'MIT', grader: 'codeTests:python', load: humanEval },
  mbpp: { licence: 'CC BY 4.0', grader: 'codeTests:python', load: mbpp },
  strategyqa: { licence: 'MIT', grader: 'label', load: strategyQa },
  truthfulqa: { licence: 'Apache-2.0', grader: 'closeness', load: truthfulQa },
  simpleqa: { licence: 'MIT', grader: 'normalised:f1', load: simpleQa },
  cruxeval: { licence: 'MIT', grader: 'pythonLiteral', load: cruxEval },
  bfcl: { licence: 'Apache-2.0', grader: 'bfcl-calls', load: bfcl },
  game24: { licence: 'MIT', grader: 'game24', load: gameOf24 },
};

export interface DatasetSuiteOptions extends Omit<SuiteOptions, keyof Dataset> {
  select?: TaskSelection;
}

/** A suite over a data set: `suiteFromDataset('gsm8k', path, { solvers })`. Throws `UsageError` for a name that is not in `datasets`. */
export function suiteFromDataset(name: string, path: string, { select, ...options }: DatasetSuiteOptions): Suite {
  const entry = Object.hasOwn(datasets, name) ? datasets[name] : undefined;
  if (entry) return defineSuite({ ...entry.load(path, select), ...options });
  throw new UsageError(`There is no data set '${name}'. Data sets: ${Object.keys(datasets).join(', ')}.`);
}
