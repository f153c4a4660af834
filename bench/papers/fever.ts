/**
 * ReAct on FEVER (Yao et al. 2023): each recorded trajectory is acted again in our loop, and our checks of evidence and quotes
 * judge the claim that its last thought makes.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { defineAgent } from '../../src/agent.ts';
import type { Check } from '../../src/checks/check.ts';
import { exactReference } from '../../src/checks/evaluators/reference.ts';
import { evidence } from '../../src/checks/evidence.ts';
import { offlineContext } from '../../src/checks/offline.ts';
import { standsIn } from '../../src/checks/quote-text.ts';
import { quotes } from '../../src/checks/quotes.ts';
import type { Result } from '../../src/core/result.ts';
import type { Task } from '../../src/core/task.ts';
import { react } from '../../src/solver/react/react.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import type { Figure } from './figures.ts';
import { type Material, metric, readRows, rowsById } from './material.ts';
import { inParallel, type Part, type PartResult, Tally } from './part.ts';
import { ReactStage, RecordedStep } from './react-stage.ts';

export interface Trajectory {
  id: string;
  claim: string;
  gold: string;
  /** Empty where the trajectory ran out of steps. */
  answer: string;
  steps: RecordedStep[];
}

export const Trajectory: z.ZodType<Trajectory> = z.object({
  id: z.string(),
  claim: z.string(),
  gold: z.string(),
  answer: z.string(),
  steps: z.array(RecordedStep),
});

/** Turns that the authors' loop allowed. */
const recordedTurns = 7;

export const fever: Part = { name: 'fever', title: 'ReAct on FEVER, text-davinci-002', run: figuresOf };

async function figuresOf({ traces, metrics }: Material): Promise<PartResult> {
  const rows = readRows(join(traces, 'react_fever', 'react_fever_davinci002.jsonl'), Trajectory);
  const tally = new Tally();
  const replayed = await replay(rows, tally);
  const right = replayed.filter((one) => one.right);
  const wrong = replayed.filter((one) => !one.right);
  return {
    figures: [
      { name: 'claims', ours: replayed.length, recorded: metric(metrics, 'react_fever', 'n') },
      {
        name: 'right labels',
        ours: right.length,
        recorded: metric(metrics, 'react_fever', 'em'),
        published: '270 of 500 (notebook)',
      },
      ...flagged('wrong', wrong),
      ...flagged('right', right),
    ],
    notes: notesOf(replayed),
    work: tally.work,
  };
}

function flagged(which: string, replayed: readonly Replayed[]): Figure[] {
  const count = (fits: (one: Replayed) => boolean): number => replayed.filter(fits).length;
  return [
    { name: `${which}: no answer`, ours: count(({ result }) => result.answer === undefined) },
    {
      name: `${which}: flagged by evidence`,
      ours: count((one) => one.evidence > 0 && one.result.answer !== undefined),
    },
    { name: `${which}: flagged by quotes`, ours: count((one) => one.quotes > 0) },
    { name: `${which}: passed both`, ours: count(({ result }) => result.status === 'completed') },
  ];
}

function notesOf(replayed: readonly Replayed[]): string[] {
  const early = replayed.filter(({ row, result }) => row.steps.length > result.metrics.turns);
  const invented = replayed.flatMap(({ row, result }) =>
    quotesAmiss(result).map((quote) => ({ ofQuestion: standsIn(quote, row.claim) })),
  );
  return [
    `Of ${invented.length} quotes that do not stand in the result they are said to be from, ${invented.filter(({ ofQuestion }) => ofQuestion).length} are words of the question.`,
    'A label is what the answer says of a claim; the checks judge only whether what the last thought quotes stands in the result it had read, not whether it follows.',
    `Our guards ended ${early.length} trajectories before their last recorded step, ${early.filter(({ row }) => row.answer === row.gold).length} of them with the right label.`,
  ];
}

function quotesAmiss({ attempt }: Result): string[] {
  return attempt.claims
    .flatMap((claim) => claim.evidence)
    .filter(({ observation, quote }) => {
      const cited = attempt.observations.find(({ id }) => id === observation);
      return cited !== undefined && !standsIn(quote, cited.content);
    })
    .map(({ quote }) => quote);
}

export interface Replayed {
  row: Trajectory;
  result: Result;
  right: boolean;
  /** Issues of each check. */
  evidence: number;
  quotes: number;
}

/** Acts every trajectory in a run of its own. Throws when a run's own report and the same checks offline do not agree. */
export async function replay(rows: readonly Trajectory[], tally: Tally): Promise<Replayed[]> {
  const byId = rowsById(rows);
  const stage = new ReactStage('text-davinci-002', ({ run }) => byId.get(run)?.steps ?? []);
  const agent = defineAgent({
    name: 'fever',
    model: stage.model,
    tools: stage.tools,
    solver: react({ maxSteps: recordedTurns }),
    layers: [verification({ checks: [evidence, quotes], verifier: false, refine: { rounds: 0 } })],
    sinks: [tally.sink],
  });
  const replayed = await inParallel(rows, 16, async (row): Promise<Replayed> => {
    const task = {
      input: `Claim: ${row.claim}\nAnswer SUPPORTS, REFUTES or NOT ENOUGH INFO.`,
      constraints: [],
      checks: [],
    };
    const result = await agent.run(task, { runId: row.id });
    tally.add(result);
    const { pass } = await exactReference(row.gold).evaluate(result.attempt, task, offlineContext());
    return { row, result, right: pass, ...(await issuesOf(result, task)) };
  });
  await agent.close();
  return replayed;
}

async function issuesOf({ attempt, runId }: Result, task: Task): Promise<Pick<Replayed, 'evidence' | 'quotes'>> {
  const count = async (check: Check): Promise<number> => (await check.run(attempt, task, offlineContext())).length;
  const found = { evidence: await count(evidence), quotes: await count(quotes) };
  const reported = attempt.reports.at(-1)?.issues.length ?? 0;
  if (attempt.answer !== undefined && reported !== found.evidence + found.quotes)
    throw new Error(`${runId}: the run reported ${reported} issues, and the same checks offline find others`);
  return found;
}
