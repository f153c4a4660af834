/**
 * The input-output and chain-of-thought baselines of Tree of Thoughts on the Game of 24 (Yao et al. 2023, table 2): 100 recorded
 * samples for each puzzle, drawn and voted on by our `selfConsistency`.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { defineAgent } from '../../src/agent.ts';
import { direct } from '../../src/solver/direct.ts';
import { type ScoredVote, voteCurve } from '../../src/solver/self-consistency/majority.ts';
import { selfConsistency } from '../../src/solver/self-consistency/self-consistency.ts';
import type { Figure } from './figures.ts';
import { expressionOf, type Puzzle, puzzlesIn, solves } from './game24-answer.ts';
import { type Material, metric, metricNames, needed, readRows, rowsById } from './material.ts';
import { inParallel, type Part, type PartResult, Tally } from './part.ts';
import { recordedModel } from './recorded-model.ts';

export interface SampledPuzzle {
  id: string;
  /** What the model said, sample by sample. */
  outputs: string[];
  /** The verdicts of whoever prepared the traces. */
  correct: number[];
}

const SampledPuzzle: z.ZodType<SampledPuzzle> = z.object({
  id: z.string(),
  outputs: z.array(z.string()),
  correct: z.array(z.number()),
});

const methods = [
  { name: 'io', published: { majority: '-', best: '33 % (table 2)', mean: '7.3 % (table 2)' } },
  { name: 'cot', published: { majority: '9.0 % (table 2)', best: '49 % (table 2)', mean: '4.0 % (table 2)' } },
];

export const game24Votes: Part = { name: 'votes', title: 'Game of 24, 100 samples and a vote', run: figuresOf };

async function figuresOf(material: Material): Promise<PartResult> {
  const puzzles = puzzlesIn(material);
  const tally = new Tally();
  const figures: Figure[] = [];
  const notes: string[] = [];
  for (const { name, published } of methods) {
    const rows = readRows(join(material.traces, 'tot_game24', `${name}_samples100.jsonl`), SampledPuzzle);
    const scored = rows.map((row) => scoredSamples(row, puzzles));
    const voted = await vote(rows, puzzles, tally);
    figures.push(
      { name: `${name}: verdicts other than recorded`, ours: differing(rows, scored), recorded: 0 },
      {
        name: `${name}: mean of all samples`,
        ours: voteCurve(scored, [1])[0]?.best ?? 0,
        recorded: metric(material.metrics, `game24:${name}`, 'avg'),
        published: published.mean,
      },
      {
        name: `${name}: selfConsistency of 100, in runs`,
        ours: voted.solved / rows.length,
        recorded: metric(material.metrics, `game24:${name}`, 'majority@k', '100'),
        published: published.majority,
      },
      ...curves(material, name, scored),
    );
    notes.push(`${name}: with early stopping ${voted.drawn} of ${voted.planned} samples were drawn.`);
  }
  return { figures, notes, work: tally.work };
}

export function scoredSamples({ id, outputs }: SampledPuzzle, puzzles: ReadonlyMap<string, Puzzle>): ScoredVote[] {
  const { task } = needed(puzzles, id);
  return outputs.map((output) => ({ vote: expressionOf(output), correct: solves(task, output) }));
}

function differing(rows: readonly SampledPuzzle[], scored: readonly ScoredVote[][]): number {
  return rows
    .flatMap(({ correct }, row) => correct.map((verdict, at) => (verdict === 1) !== scored[row]?.[at]?.correct))
    .filter(Boolean).length;
}

/** Draws of k samples a puzzle from which METRICS.json took its curves: its figures are whole multiples of 1 / (draws × puzzles). */
const draws = 20;

/** Standard errors that a figure from random draws may be off. */
const tolerance = 4;

export function curves({ metrics }: Material, name: string, scored: readonly ScoredVote[][]): Figure[] {
  return (['majority', 'best'] as const).map((kind) => {
    const path = [`game24:${name}`, `${kind}@k`];
    const sizes = metricNames(metrics, ...path).map(Number);
    const counted = sizes.map((size) => metric(metrics, ...path, String(size)));
    const ours = voteCurve(scored, sizes).map((point) => point[kind]);
    const off = sizes.map((size, at) =>
      standardErrorsOff(scored, { size, kind, ours: ours[at], counted: counted[at] }),
    );
    const figure = { name: `${name}: ${kind} of ${sizes.join(', ')}`, ours, recorded: counted };
    const drawn = counted.every(
      (value) => Math.abs(value * draws * scored.length - Math.round(value * draws * scored.length)) < 1e-6,
    );
    return drawn && off.every((errors) => errors <= tolerance)
      ? { ...figure, explained: explanation(off, scored.length) }
      : figure;
  });
}

function explanation(off: readonly number[], puzzles: number): string {
  return `METRICS.json is an estimate (its figures are multiples of 1/${draws * puzzles}: ${draws} random draws for each of ${puzzles} puzzles), ours is the mean over all runs of neighbouring samples. They differ by ${off.map((errors) => errors.toFixed(1)).join(', ')} standard errors of such draws.`;
}

/** How many standard errors of the mean of the random draws lie between the two figures; 0 where a draw leaves no choice. */
function standardErrorsOff(
  scored: readonly ScoredVote[][],
  {
    size,
    kind,
    ours = 0,
    counted = 0,
  }: { size: number; kind: 'majority' | 'best'; ours: number | undefined; counted: number | undefined },
): number {
  const difference = Math.abs(ours - counted);
  if (difference < 1e-9) return 0;
  const variance = scored.reduce((sum, samples) => {
    const share = voteCurve([samples], [size])[0]?.[kind] ?? 0;
    return sum + (share * (1 - share)) / draws;
  }, 0);
  return difference / (Math.sqrt(variance) / scored.length);
}

export interface Voted {
  solved: number;
  drawn: number;
  planned: number;
}

/** A run a puzzle, in which selfConsistency draws the recorded samples in their order. */
export async function vote(
  rows: readonly SampledPuzzle[],
  puzzles: ReadonlyMap<string, Puzzle>,
  tally: Tally,
): Promise<Voted> {
  const byId = rowsById(rows);
  const planned = rows[0]?.outputs.length ?? 0;
  /** Samples that each run has drawn. */
  const drawn = new Map<string, number>();
  const agent = defineAgent({
    name: 'votes',
    model: recordedModel('gpt-4', ({ run }) => {
      const at = drawn.get(run) ?? 0;
      drawn.set(run, at + 1);
      return JSON.stringify({ answer: byId.get(run)?.outputs[at], claims: [] });
    }),
    solver: direct(),
    layers: [selfConsistency({ samples: planned, normalise: expressionOf })],
    // A tenth of a limit is kept for one last answer, which samples do not get.
    budget: { modelCalls: 2 * planned, tokens: undefined },
    sinks: [tally.sink],
  });
  const results = await inParallel(rows, 8, ({ id }) => agent.run(needed(puzzles, id).task, { runId: id }));
  await agent.close();
  tally.add(...results);
  const solved = results.filter(({ runId, answer = '' }) => solves(needed(puzzles, runId).task, answer)).length;
  return { solved, drawn: [...drawn.values()].reduce((sum, count) => sum + count, 0), planned: planned * rows.length };
}
