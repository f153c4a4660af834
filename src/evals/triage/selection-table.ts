import type { FailureLayer } from '../findings.ts';

/** What a failure shows, as the first column of the selection table. */
export type Symptom =
  | 'missed-constraints'
  | 'unfit-plan'
  | 'wrong-early-choice'
  | 'right-answer-not-chosen'
  | 'revision-made-worse'
  | 'missing-live-data'
  | 'tool-misuse'
  | 'wrong-value-taken'
  | 'wrong-maths-or-code'
  | 'no-evidence'
  | 'false-objection'
  | 'improvable-draft'
  | 'same-error-again'
  | 'lesson-misled'
  | 'lesson-unheeded'
  | 'stable-bias'
  | 'weak-model'
  | 'model-refused'
  | 'service-failed'
  | 'not-permitted'
  | 'data-not-there'
  | 'limit-too-small';

/** A row of the selection table: from what a failure shows to what is worth adding. */
export interface SelectionRow {
  symptom: Symptom;
  layer: FailureLayer;
  /** The symptom in words. */
  shows: string;
  /** What to add or to change. */
  mechanism: string;
  /** How, in Assay: the line of code, or what to do outside of it. */
  how: string;
  /** Paper and section; absent where none is needed. */
  source?: string;
}

const planAndSolve = 'Plan-and-Solve: Wang et al. 2023, section 2';
const critic = 'CRITIC: Gou et al. 2023, section 3; Chain-of-Verification: Dhuliawala et al. 2023, section 3';
const react = 'ReAct: Yao et al. 2023, section 2';

/** The selection table. A failure's layer is the layer of its row. */
export const selectionTable: readonly SelectionRow[] = [
  {
    symptom: 'missed-constraints',
    layer: 'decompose',
    shows: 'a condition or a part of the task is in no step, and the answer misses it',
    mechanism: 'Plan-and-Solve',
    how: 'layers: [planAndSolve()]; give the conditions of the task as `constraints`',
    source: planAndSolve,
  },
  {
    symptom: 'unfit-plan',
    layer: 'decompose',
    shows: 'the plan is too long, unusable, or was carried out in the wrong order',
    mechanism: 'Plan-and-Solve, one question after the other',
    how: "layers: [planAndSolve({ mode: 'each-step', order: 'least-to-most', maxSteps: 8 })]",
    source: `${planAndSolve}; Least-to-Most: Zhou et al. 2022, section 2`,
  },
  {
    symptom: 'wrong-early-choice',
    layer: 'search',
    shows: 'the first way was wrong or given up, and no other was tried',
    mechanism: 'Self-Consistency or Tree of Thoughts',
    how: 'layers: [selfConsistency({ samples: 5 })], or solver: treeOfTurns(); `assay advise` says which',
    source: 'Self-Consistency: Wang et al. 2022, section 2; Tree of Thoughts: Yao et al. 2023b, section 3',
  },
  {
    symptom: 'right-answer-not-chosen',
    layer: 'search',
    shows: 'the right answer was among the samples, trials or branches, and another was chosen',
    mechanism: 'a better choice: more samples, a judge of its own, an evaluator that knows more',
    how: 'layers: [selfConsistency({ samples: 9 })] with a model of its own for the role judge; treeOfThoughts({ evaluate })',
    source: 'Self-Consistency: Wang et al. 2022, section 3; Tree of Thoughts: Yao et al. 2023b, section 3',
  },
  {
    symptom: 'revision-made-worse',
    layer: 'search',
    shows: 'an earlier draft was right, and a revision or a later trial lost it',
    mechanism: 'keep the best-scored draft',
    how: 'verification({ refine: { rounds: 1 } }) with `checks` that know the task; reflexion({ evaluator }) that stops at the first pass',
    source: 'Self-Refine: Madaan et al. 2023, section 4; Huang et al. 2023, section 3',
  },
  {
    symptom: 'missing-live-data',
    layer: 'act',
    shows: 'what the answer needs was never looked up',
    mechanism: 'tools that reach the data',
    how: "tools: [searchDocs('./docs')], fetchPage(), sql(…) or your own tool(…), with solver: react()",
    source: react,
  },
  {
    symptom: 'tool-misuse',
    layer: 'act',
    shows: 'a tool was called wrongly, again and again',
    mechanism: 'a better tool: description, schema, error text that names the remedy',
    how: 'tool({ description, input: z.object({ … }).describe(…) }): fewer and stricter arguments, valid values in the error',
    source: react,
  },
  {
    symptom: 'wrong-value-taken',
    layer: 'act',
    shows: 'the right value was read, and another row, time or unit was taken',
    mechanism: 'narrower tools and checks against the rows',
    how: 'a tool that returns the one row that is asked for; verification({ checks: [rows(…)] })',
    source: critic,
  },
  {
    symptom: 'wrong-maths-or-code',
    layer: 'act',
    shows: 'a computation or a program is wrong',
    mechanism: 'an executor and tests',
    how: 'tools: [calculator(), runCode()] or solver: programAided(); verification({ checks: [code({ tests })] })',
    source:
      'Program-aided Language Models: Gao et al. 2022, section 3; Program of Thoughts: Chen et al. 2022, section 2',
  },
  {
    symptom: 'no-evidence',
    layer: 'verify',
    shows: 'what the answer says is not in what was read, and nothing stopped it',
    mechanism: 'a verifier that looks at the evidence',
    how: 'layers: [verification({ checks: [...builtinChecks.values()] })] with another model for the role verifier',
    source: critic,
  },
  {
    symptom: 'false-objection',
    layer: 'verify',
    shows: 'the verifier objected to what was right',
    mechanism: 'a verifier that knows more than the actor',
    how: "model: { actor, verifier: 'another:model' }; checks by code and tests before opinions",
    source: 'Huang et al. 2023, section 3',
  },
  {
    symptom: 'improvable-draft',
    layer: 'verify',
    shows: 'the faults of the draft were named, and it was handed over unmended',
    mechanism: 'Self-Refine',
    how: 'verification({ refine: { rounds: 2 } })',
    source: 'Self-Refine: Madaan et al. 2023, section 2',
  },
  {
    symptom: 'same-error-again',
    layer: 'memory',
    shows: 'an error that was met before was made again, and no lesson was at hand',
    mechanism: 'lessons, with Reflexion where trials can be judged',
    how: "layers: [lessons({ store: sqliteLessons({ file: 'lessons.db' }) }), reflexion({ evaluator, trials: 3 })]",
    source: 'Reflexion: Shinn et al. 2023, section 3',
  },
  {
    symptom: 'lesson-misled',
    layer: 'memory',
    shows: 'the answer follows a recalled lesson against the task or the evidence',
    mechanism: 'fewer and better lessons',
    how: '`assay lessons show ID`, then `assay lessons forget ID`; bind lessons with `taskKind` and `scope`',
    source: 'Reflexion: Shinn et al. 2023, section 5',
  },
  {
    symptom: 'lesson-unheeded',
    layer: 'memory',
    shows: 'a recalled lesson names the error, and it was made again',
    mechanism: 'lessons that say what to do',
    how: '`assay lessons show ID`: a lesson has to name an action and not only the error; reflexion({ evaluator }) judges whether it helps',
    source: 'Reflexion: Shinn et al. 2023, section 3',
  },
  {
    symptom: 'stable-bias',
    layer: 'memory',
    shows: 'all of many samples give the same wrong answer',
    mechanism: 'Chain of Hindsight or fine-tuning',
    how: '`assay export coh` or `assay export sft` from judged runs, then train; meanwhile another model',
    source: 'Chain of Hindsight: Liu et al. 2023, section 2',
  },
  {
    symptom: 'weak-model',
    layer: 'model',
    shows: 'replies were empty, cut off or no valid action',
    mechanism: 'another model, or an easier protocol',
    how: "model: 'provider:larger-model'; fewer tools; a higher output limit",
  },
  {
    symptom: 'model-refused',
    layer: 'model',
    shows: 'the model or its content filter refused',
    mechanism: 'another wording or another model',
    how: "rephrase the task, or model: 'provider:other-model'",
  },
  {
    symptom: 'service-failed',
    layer: 'environment',
    shows: 'a provider, a tool or the network did not answer',
    mechanism: 'retries, limits and a working service',
    how: 'tool({ retries: 2, timeoutMs }); `limits` of the suite; check the key, the quota and the address with `assay doctor`',
  },
  {
    symptom: 'not-permitted',
    layer: 'environment',
    shows: 'a call that the task needs was denied, or waits for approval',
    mechanism: 'a decision on the policy',
    how: "policy: { write: 'ask' } with `assay approve RUN`, or `--yes read|write`; or drop the task",
  },
  {
    symptom: 'data-not-there',
    layer: 'environment',
    shows: 'the tools do not hold what is asked for',
    mechanism: 'a source that holds it',
    how: 'add documents or another tool; expect "not known" where there is none',
  },
  {
    symptom: 'limit-too-small',
    layer: 'environment',
    shows: 'a limit ended the run while it was getting on',
    mechanism: 'a larger budget',
    how: 'budget: { modelCalls, tokens, usd, ms }, react({ maxSteps })',
  },
];

/** The row of a symptom. */
export function rowOf(symptom: Symptom): SelectionRow {
  const row = selectionTable.find((candidate) => candidate.symptom === symptom);
  if (!row) throw new RangeError(`the selection table has no row '${symptom}'`);
  return row;
}

/** A row as the remedy of a label, such as `Plan-and-Solve: layers: [planAndSolve()]`. */
export function remedyOf({ mechanism, how }: SelectionRow): string {
  return `${mechanism}: ${how}`;
}
