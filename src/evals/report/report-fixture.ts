/** A made-up evaluation for the tests of the reports: figures from a seeded generator, texts that try to break a page. */
import { noUsage } from '../../core/usage.ts';
import type { ConfigurationSummary, EvalRecord, Evaluation, Outcome } from '../evaluation.ts';
import { reportOf } from '../evaluation-report.ts';
import {
  type AblationFindings,
  type EvaluationReport,
  type FailureLabel,
  failureLayers,
  type MechanismVerdict,
} from '../findings.ts';
import { compare } from '../metrics/compare.ts';
import { seededWords } from '../statistics/seeded-words.ts';

/** What models and tools may say: markup, escapes, hidden characters, right-to-left text, and lines without an end. */
export const nastyTexts: readonly string[] = [
  '<script>document.title = "broken"</script>',
  '</style><img src="https://example.invalid/x" onerror="alert(1)">',
  '</td></tr></table><!-- " \' & ]]> -->',
  '\u001b[31mred\u001b[0m and \u001b]0;title\u0007 a bell',
  'abc\u202etxt.exe\u202c and zero\u200bwidth',
  'null \u0000, unit \u001f, lone \ud800 surrogate, \uffff',
  '| a | `code` ``two`` |\n# heading\n[link](https://example.invalid) @someone #1',
  'שלום عالم 价格是四千三百八十六元 ｆｕｌｌ 👩‍👩‍👧',
  'no spaces at all: '.replaceAll(' ', '_') + 'x'.repeat(20_000),
];

const plainTexts = ['The total is 4,386.00; expected 4,297.00', 'no unit in the answer', '价格不对：少了折扣'];

export interface FixtureOptions {
  tasks?: number;
  repeats?: number;
  /** The names of the configurations: rungs first. */
  configurations?: readonly string[];
  source?: string;
}

const ladder = ['direct', 'react', 'plan', 'verification', 'refine', 'lessons', 'reflexion', 'self-consistency'];
const leftOut = ['without plan', 'without verification', 'without refine', 'without lessons', 'without reflexion'];
const names = [...ladder, ...leftOut, 'equal-budget control', 'full'];

/** The report of a whole ablation, or of the given configurations alone. */
export function reportFixture(options: FixtureOptions = {}): EvaluationReport {
  const configurations = options.configurations ?? names;
  const tasks = options.tasks ?? 240;
  const random = seededNumbers('report');
  const records = configurations.flatMap((configuration, index) =>
    Array.from({ length: tasks * (options.repeats ?? 1) }, (_, run) =>
      recordOf({ configuration, index, run, tasks }, random),
    ),
  );
  const of = (name: string): EvalRecord[] => records.filter(({ configuration }) => configuration === name);
  const rungs = ladder.filter((name) => configurations.includes(name));
  const ablation = rungs.length > 1 ? ablationOf(rungs, configurations, of) : undefined;
  const failures = records.filter(({ outcome }) => outcome === 'failure').map(labelOf);
  return reportOf(evaluationOf(records, { ...options, tasks, configurations }), { ablation, failures });
}

function ablationOf(
  rungs: string[],
  configurations: readonly string[],
  of: (name: string) => EvalRecord[],
): AblationFindings {
  return {
    rungs,
    verdicts: rungs.slice(1).map((name, index) => verdictOf(of(rungs[index] ?? ''), of(name))),
    recommended: ['react', 'verification', 'refine'],
    control: {
      configuration: 'equal-budget control',
      samples: 5,
      comparison: compare(of(configurations[0] ?? ''), of(configurations.at(-1) ?? '')),
      why: 'Five plain samples of the baseline cost as much and reach less.',
    },
    lessonUplift: { value: 0.021, low: -0.014, high: 0.056 },
  };
}

function evaluationOf(
  records: EvalRecord[],
  options: FixtureOptions & { tasks: number; configurations: readonly string[] },
): Evaluation {
  const source = options.source ?? 'scripted';
  return {
    folder: '/home/someone/my project/.assay/evals/price-desk',
    records,
    header: {
      id: 'price-desk-1',
      suite: 'price-desk',
      description: 'Questions to a price desk with documents, a calculator and conditions.',
      began: Date.UTC(2026, 2, 14, 9, 26),
      ended: Date.UTC(2026, 2, 14, 9, 27, 12),
      tasksHash: '9f2c7d11a8e04b6f9f2c7d11a8e04b6f9f2c7d11a8e04b6f9f2c7d11a8e04b6f',
      fingerprint: '0b5e31c4aa7790d20b5e31c4aa7790d20b5e31c4aa7790d20b5e31c4aa7790d2',
      tasks: options.tasks,
      repeats: options.repeats ?? 1,
      graders: [
        { name: 'right answer', knows: 'rules' },
        { name: 'tone', knows: 'another-model' },
      ],
      criteria: { minSuccess: 0.8, maxUsdPerSuccess: 0.02, maxP95Ms: 20_000, maxSilentFailures: 0.02 },
      baseline: options.configurations[0] ?? '',
      subject: options.configurations.at(-1) ?? '',
      configurations: options.configurations.map((name): ConfigurationSummary => {
        const models = [{ role: 'actor', id: source === 'provider' ? 'openai:gpt-5-mini' : 'faulty-actor', source }];
        return {
          name,
          solver: name === 'direct' ? 'direct' : 'react',
          layers: [],
          models,
          openBook: name === 'direct',
        };
      }),
      version: '0.1.0',
    },
  };
}

interface Place {
  configuration: string;
  index: number;
  /** From 0, tasks first, then repeats. */
  run: number;
  tasks: number;
}

const kinds = ['prices', 'inventory', 'measurements', 'timetable'];

function recordOf({ configuration, index, run, tasks }: Place, random: () => number): EvalRecord {
  const task = run % tasks;
  const outcome = outcomeOf(random(), Math.min(0.9, 0.42 + 0.06 * index));
  const isWrong = outcome !== 'success';
  const usd = (0.0004 + 0.0003 * index ** 1.6) * (0.6 + random());
  const inputTokens = Math.round(usd * 1_500_000);
  const usage = { ...noUsage, modelCalls: 1 + index, inputTokens, outputTokens: 120, tokens: inputTokens + 120, usd };
  const toolCalls = index === 0 ? 0 : 1 + Math.floor(random() * 4);
  const pool = run % 17 === 0 ? nastyTexts : plainTexts;
  return {
    configuration,
    task: `task-${String(task + 1).padStart(3, '0')}`,
    kind: kinds[task % kinds.length],
    repeat: 1 + Math.floor(run / tasks),
    runId: `run-${index}-${run}`,
    outcome,
    grade: { pass: !isWrong, score: isWrong ? 0 : 1, why: isWrong ? (pool[run % pool.length] ?? '') : 'equal' },
    status: outcome === 'broken' ? 'failed' : 'completed',
    reason: outcome === 'broken' ? 'model-error' : 'checked',
    detail: outcome === 'broken' ? (nastyTexts[run % nastyTexts.length] ?? '') : '',
    answer: pool[run % pool.length],
    degraded: outcome === 'degraded',
    selfChecked: index === 2,
    flagged: isWrong && random() < 0.3 + 0.04 * index,
    versions: [],
    usage,
    bought: usage,
    latencyMs: (400 + 900 * index) * (0.5 + random() * 1.5),
    facts: factsOf(toolCalls, random),
  };
}

function factsOf(toolCalls: number, random: () => number): EvalRecord['facts'] {
  const stumbled = random() < 0.3;
  return {
    turns: toolCalls + 1,
    toolCalls,
    toolErrors: toolCalls > 0 && stumbled ? 1 : 0,
    invalidCalls: 0,
    duplicateCalls: toolCalls > 3 ? 1 : 0,
    deniedCalls: 0,
    blockedCalls: 0,
    claims: toolCalls,
    supportedClaims: Math.max(0, toolCalls - (stumbled ? 1 : 0)),
    citations: toolCalls,
    brokenCitations: stumbled && toolCalls > 1 ? 1 : 0,
    verdicts: 1,
    objections: stumbled ? 1 : 0,
    revisions: stumbled ? 1 : 0,
    trials: 1,
    samples: 1,
    lessonsRecalled: 0,
    lessonsAdmitted: 0,
    stumbled,
  };
}

function outcomeOf(draw: number, success: number): Outcome {
  if (draw < success) return 'success';
  if (draw > 0.995) return 'not-run';
  if (draw > 0.985) return 'broken';
  return draw > 0.965 ? 'degraded' : 'failure';
}

function verdictOf(below: readonly EvalRecord[], with_: readonly EvalRecord[]): MechanismVerdict {
  const added = compare(below, with_);
  const verdict = { better: 'keep', worse: 'drop', noise: 'not-enough-data' } as const;
  return {
    // The ladder's rungs are named for the mechanism they add.
    mechanism: added.b as MechanismVerdict['mechanism'],
    added,
    verdict: verdict[added.finding],
    why: `success ${(added.difference.value * 100).toFixed(1)} points on ${added.tasks} tasks (${added.finding})`,
    ...(added.finding === 'noise' && { tasksNeeded: 1120 }),
  };
}

function labelOf(record: EvalRecord, index: number): FailureLabel {
  const layer = failureLayers[(Math.imul(index, 2_654_435_761) >>> 13) % failureLayers.length] ?? 'act';
  return {
    runId: record.runId,
    task: record.task,
    configuration: record.configuration,
    layer,
    rule: index % 9 === 0 ? 'model' : 'tool-error-loop',
    by: index % 9 === 0 ? 'model' : 'rule',
    why: record.grade.why,
    evidence: [{ where: 'obs-1', text: nastyTexts[index % nastyTexts.length] ?? '' }],
    remedy: `Add what meets a failure of the layer ${layer}`,
  };
}

function seededNumbers(seed: string): () => number {
  const word = seededWords(seed);
  return () => word() / 2 ** 32;
}
