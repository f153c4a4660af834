/**
 * Tree of Thoughts on the Game of 24 (Yao et al. 2023, arXiv 2305.10601, section 4.1): our `treeOfThoughts` searches with the recorded
 * proposals and judgements, and has to keep what the authors' search kept.
 */
import { join } from 'node:path';
import { defineAgent } from '../../src/agent.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { SearchProblem } from '../../src/solver/tree-of-thoughts/problem.ts';
import { treeOfThoughts } from '../../src/solver/tree-of-thoughts/tree-of-thoughts.ts';
import { type Puzzle, puzzlesIn, solves } from './game24-answer.ts';
import { SearchedPuzzle, type SearchState, searchModel, thinkerOf } from './game24-thinker.ts';
import { type Material, metric, metricList, needed, readRows, rowsById } from './material.ts';
import { inParallel, type Part, type PartResult, Tally } from './part.ts';

const beam = 5;

export const game24Search: Part = { name: 'search', title: 'Game of 24, Tree of Thoughts (b = 5)', run: figuresOf };

async function figuresOf(material: Material): Promise<PartResult> {
  const puzzles = puzzlesIn(material);
  const rows = readRows(join(material.traces, 'tot_game24', 'tot_bfs_b5_full.jsonl'), SearchedPuzzle);
  const tally = new Tally();
  const searched = await search(rows, { puzzles, tally });
  const checked = await search(rows, { puzzles, tally, calculator: true });
  const mean = (count: (one: Searched) => number): number =>
    searched.reduce((sum, one) => sum + count(one), 0) / searched.length;
  const counted = (name: string): number => metric(material.metrics, 'game24:tot', name);
  const levels = metricList(material.metrics, 'game24:tot', 'mean_candidates_per_step');
  const isRight = (one: Searched, state: string | undefined): boolean =>
    state !== undefined && solves(needed(puzzles, one.row.id).task, state);
  const rightOf = (all: readonly Searched[]): number => all.filter((one) => isRight(one, one.answer)).length;
  const lastBeam = ({ levels }: Searched): string[] => levels.at(-1)?.kept ?? [];
  return {
    figures: [
      {
        name: 'levels with the recorded selection, in its order',
        ours: searched.reduce((sum, one) => sum + matchingLevels(one), 0),
        recorded: rows.reduce((sum, { steps }) => sum + steps.length, 0),
      },
      {
        name: 'mean states a level',
        ours: levels.map((_, level) => mean(({ levels }) => levels[level]?.states ?? 0)),
        recorded: levels,
      },
      {
        name: 'solved by any of the last beam',
        ours: mean((one) => Number(lastBeam(one).some((state) => isRight(one, state)))),
        recorded: counted('any_of_final_beam'),
        published: '74 % (table 2); 69 of 100 in the log',
      },
      {
        name: "solved by the solver's answer, the first of the beam",
        ours: mean((one) => Number(isRight(one, one.answer))),
        recorded: counted('first_of_beam'),
      },
      {
        name: 'share of the last beam that is right',
        ours: mean((one) => lastBeam(one).filter((state) => isRight(one, state)).length / beam),
        recorded: counted('avg'),
      },
    ],
    notes: [
      `With our calculator to say when a state is solved, the search answers ${rightOf(checked)} of ${rows.length} in ${statesOf(checked)} states; without, ${rightOf(searched)} in ${statesOf(searched)}.`,
    ],
    work: tally.work,
  };
}

/** What our search did on one puzzle. */
export interface Searched {
  row: SearchedPuzzle;
  answer: string | undefined;
  /** By depth: the states proposed, and those kept, best first. */
  levels: { states: number; kept: string[] }[];
}

function statesOf(searched: readonly Searched[]): number {
  return searched.flatMap(({ levels }) => levels).reduce((sum, { states }) => sum + states, 0);
}

/** Levels that kept the recorded states. One that the authors' search kept twice is one state for ours. */
export function matchingLevels({ row, levels }: Searched): number {
  return row.steps.filter(({ select_new_ys }, level) => {
    const distinct = [...new Set(select_new_ys)];
    return JSON.stringify(levels[level]?.kept) === JSON.stringify(distinct);
  }).length;
}

/** Searches every puzzle in a run of its own; with the calculator a search ends where it finds 24. */
export async function search(
  rows: readonly SearchedPuzzle[],
  { puzzles, tally, calculator = false }: { puzzles: ReadonlyMap<string, Puzzle>; tally: Tally; calculator?: boolean },
): Promise<Searched[]> {
  const byId = rowsById(rows);
  const nodes: NodeEvent[] = [];
  const problem = calculator ? withCalculator : asRecorded;
  const agent = defineAgent({
    name: 'search',
    model: searchModel(byId),
    solver: treeOfThoughts({ problem, thinker: thinkerOf(byId), beam, depth: 4, maxStates: 1_000 }),
    budget: { modelCalls: undefined, tokens: undefined },
    sinks: [
      tally.sink,
      {
        name: 'nodes',
        write: (event: RunEvent) => {
          if (event.type === 'search.node') nodes.push(event);
        },
      },
    ],
  });
  const results = await inParallel(rows, 4, ({ id }) => agent.run(needed(puzzles, id).task, { runId: id }));
  // The sinks have heard everything once the agent is closed.
  await agent.close();
  tally.add(...results);
  const ofRun = Map.groupBy(nodes, ({ run }) => run);
  return rows.map((row, index) => ({
    row,
    answer: results[index]?.answer,
    levels: row.steps.map((_, level) => levelOf((ofRun.get(row.id) ?? []).filter(({ depth }) => depth === level + 1))),
  }));
}

type NodeEvent = Extract<RunEvent, { type: 'search.node' }>;

function levelOf(nodes: readonly NodeEvent[]): Searched['levels'][number] {
  const kept = nodes.filter(({ verdict }) => verdict === 'kept').toSorted((a, b) => b.value - a.value);
  return { states: nodes.length, kept: kept.map(({ state }) => state) };
}

/** What the authors' search knows of a state: whether it ends in an answer, and nothing of whether that is right. */
const asRecorded: SearchProblem<SearchState> = {
  name: 'game-of-24',
  initial: (numbers) => ({ numbers, text: '' }),
  key: ({ text }) => text,
  render: ({ text }) => text,
  answer: ({ text }) => (/answer/i.test(text) ? text : undefined),
};

/** The same search with code that knows when the puzzle is solved. */
const withCalculator: SearchProblem<SearchState> = {
  ...asRecorded,
  isSolution: ({ numbers, text }) => solves(numbers, text),
};
