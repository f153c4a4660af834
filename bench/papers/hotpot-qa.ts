/**
 * Reflexion on HotpotQA (Shinn et al. 2023, section 4.2): the recorded trials are the actor of our `reflexion` layer, the recorded
 * reflections its reflector, and normalised exact match against the gold answer its evaluator.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { defineAgent } from '../../src/agent.ts';
import { exactReference } from '../../src/checks/evaluators/reference.ts';
import type { OracleEvaluator } from '../../src/checks/evaluators.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { react } from '../../src/solver/react/react.ts';
import { reflexion } from '../../src/solver/reflexion/reflexion.ts';
import type { Figure } from './figures.ts';
import { type Material, metric, needed, readRows } from './material.ts';
import { inParallel, type Part, type PartResult, Tally } from './part.ts';
import { type Place, ReactStage, RecordedStep } from './react-stage.ts';
import { recordedModel } from './recorded-model.ts';

export interface TrialRow {
  id: string;
  trial: number;
  question: string;
  gold: string;
  /** What the actor was given of its earlier trials, the latest last. */
  reflections: string[];
  steps: RecordedStep[];
}

export const TrialRow: z.ZodType<TrialRow> = z.object({
  id: z.string(),
  trial: z.number(),
  question: z.string(),
  gold: z.string(),
  reflections: z.array(z.string()),
  steps: z.array(RecordedStep),
});

/** The traces, and the authors' log of each. */
const systems = [
  { name: 'react_reflexion', log: 'ReAct/reflexion/100_questions_7_trials.txt' },
  { name: 'react_base', log: 'ReAct/base/100_questions_5_trials.txt' },
  { name: 'cot_context_reflexion', log: 'CoT/context/reflexion/100_questions_8_trials.txt' },
  { name: 'cot_context_last_trial', log: 'CoT/context/last_trial/100_questions_8_trials.txt' },
  { name: 'cot_nocontext_reflexion', log: 'CoT/no_context/reflexion/100_questions_5_trials.txt' },
  { name: 'cot_nocontext_last_trial', log: 'CoT/no_context/last_trial/100_questions_6_trials.txt' },
  { name: 'cot_nocontext_base', log: 'CoT/no_context/base/100_questions_5_trials.txt' },
];

export const hotpotQa: Part = { name: 'hotpotqa', title: 'Reflexion on HotpotQA, 100 questions', run: figuresOf };

async function figuresOf({ traces, metrics }: Material): Promise<PartResult> {
  const tally = new Tally();
  const figures: Figure[] = [];
  const notes: string[] = [];
  for (const { name, log } of systems) {
    const rows = readRows(join(traces, 'reflexion_hotpotqa', `${name}.jsonl`), TrialRow);
    const trials = trialNumbers(rows);
    const whole = await tryAgain(rows, tally, { maxRepeats: trials.length });
    figures.push({
      name: `${name}: solved by trial ${trials.join(', ')}`,
      ours: whole.solved,
      recorded: trials.map((trial) => metric(metrics, `curve:${name}`, String(trial), 'correct')),
      published: `log: ${loggedCounts(metrics, log).join(' ')}`,
    });
    const stopping = await tryAgain(rows, tally, {});
    notes.push(
      ...withheldNote(name, rows),
      `${name}: ended when attempts repeat themselves, as is our default, it solves ${stopping.solved.at(-1)} in ${stopping.made} trials instead of ${whole.solved.at(-1)} in ${whole.made}.`,
    );
  }
  return { figures, notes, work: tally.work };
}

/** How often a recorded reflection names the gold answer; to hand that on would tell the next trial that it is right. */
function withheldNote(name: string, rows: readonly TrialRow[]): string[] {
  const reflected = rows.filter(({ reflections }) => reflections.length > 0);
  const distinct = new Map(reflected.map((row) => [`${row.id} ${row.reflections.at(-1)}`, row]));
  if (distinct.size === 0) return [];
  const revealing = [...distinct.values()].filter(({ question, gold, reflections }) => {
    const task = { input: question, constraints: [], checks: [] };
    return exactReference(gold, { normalise: matchText }).reveals(reflections.at(-1) ?? '', task);
  });
  return [
    `${name}: ${revealing.length} of ${distinct.size} recorded reflections name the gold answer; the layer withholds such ones.`,
  ];
}

/** What the summary of each trial in an authors' log says was solved. */
function loggedCounts(metrics: Material['metrics'], log: string): string[] {
  return [...JSON.stringify(metrics[log] ?? []).matchAll(/Correct: (\d+)/g)].map(([, count = '']) => count);
}

function trialNumbers(rows: readonly TrialRow[]): number[] {
  return [...new Set(rows.map(({ trial }) => trial))].toSorted((a, b) => a - b);
}

export interface Curve {
  /** Questions solved by each trial, those of the trials before included. */
  solved: number[];
  /** Trials that were made. */
  made: number;
}

/** Tries every question in a run of its own, as often as its trials were recorded. */
export async function tryAgain(
  rows: readonly TrialRow[],
  tally: Tally,
  options: { maxRepeats?: number },
): Promise<Curve> {
  const trials = trialNumbers(rows);
  const byPlace = new Map(rows.map((row) => [`${row.id}/trial-${trials.indexOf(row.trial) + 1}`, row]));
  const rowAt = ({ run, scope }: Place): TrialRow | undefined => byPlace.get(`${run}/${scope}`);
  const stage = new ReactStage('recorded trials', (place) => rowAt(place)?.steps ?? []);
  const reflector = recordedModel('recorded reflections', ({ run, key }) => {
    const next = Number(/^trial-(\d+)/.exec(key)?.[1]) + 1;
    return reflectionText(rowAt({ run, scope: `trial-${next}` })?.reflections.at(-1) ?? '');
  });
  const solved = trials.map(() => 0);
  let made = 0;
  const agent = defineAgent({
    name: 'hotpotqa',
    model: { actor: stage.model, reflector },
    tools: stage.tools,
    layers: [
      reflexion({
        evaluator: exactMatch(rows),
        trials: trials.length,
        reflect: rows.some(({ reflections }) => reflections.length > 0),
        ...options,
      }),
    ],
    budget: { modelCalls: undefined, toolCalls: undefined, tokens: undefined },
    sinks: [
      tally.sink,
      {
        name: 'trials',
        write: (event: RunEvent) => {
          if (event.type !== 'trial.end') return;
          made++;
          if (event.pass) for (let at = event.trial - 1; at < solved.length; at++) solved[at] = (solved[at] ?? 0) + 1;
        },
      },
    ],
    solver: react(),
  });
  const questions = [...new Map(rows.map((row) => [row.id, row.question]))];
  tally.add(...(await inParallel(questions, 16, ([id, question]) => agent.run(question, { runId: id }))));
  await agent.close();
  return { solved, made };
}

/** A recorded reflection in the parts that our reflector writes. */
function reflectionText(text: string): string {
  const [first = '', ...rest] = text.match(/\S[^.]*\.?\s*/g) ?? ['(none was recorded)'];
  const plan = rest.join('').slice(0, 300).trim();
  return JSON.stringify({ diagnosis: first.slice(0, 800), plan: [plan === '' ? first.slice(0, 300) : plan] });
}

/** Exact match of the data set (Rajpurkar et al. 2016, section 6.1): without case, punctuation and articles. */
export function matchText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, '')
    .replace(/\b(?:a|an|the)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function exactMatch(rows: readonly TrialRow[]): OracleEvaluator {
  const byQuestion = new Map(
    rows.map(({ question, gold }) => [question, exactReference(gold, { normalise: matchText })]),
  );
  return {
    name: 'exact match',
    knows: 'reference',
    evaluate: (attempt, task, context) => needed(byQuestion, task.input).evaluate(attempt, task, context),
    reveals: (text, task) => needed(byQuestion, task.input).reveals(text, task),
  };
}
