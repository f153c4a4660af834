/** The thoughts of the authors' search on the Game of 24, for a thinker of ours to ask for. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as z from 'zod';
import { type Asked, ask } from '../../src/model/ask.ts';
import type { Thinker } from '../../src/solver/tree-of-thoughts/problem.ts';
import { needed } from './material.ts';
import { recordedModel } from './recorded-model.ts';

export interface SearchedPuzzle {
  id: string;
  steps: {
    /** The states that were gone on from. */
    ys: string[];
    /** The states proposed from all of them, with their values. */
    new_ys: string[];
    values: number[];
    select_new_ys: string[];
  }[];
}

export const SearchedPuzzle: z.ZodType<SearchedPuzzle> = z.object({
  id: z.string(),
  steps: z.array(
    z.object({
      ys: z.array(z.string()),
      new_ys: z.array(z.string()),
      values: z.array(z.number()),
      select_new_ys: z.array(z.string()),
    }),
  ),
});

/** The numbers of the puzzle, and the text so far, which is the state in the authors' code. */
export interface SearchState {
  numbers: string;
  text: string;
}

const evaluations = 3;
const soFar = 'So far:\n';
const Proposals: z.ZodType<{ value: string[] }> = z.object({ value: z.array(z.string()) });

type Likelihood = 'sure' | 'likely' | 'impossible' | 'unreadable';
const Judgement: z.ZodType<{ value: Likelihood }> = z.object({
  value: z.enum(['sure', 'likely', 'impossible', 'unreadable']),
});

/** What the authors' code takes a judgement for. */
const worth: Record<Likelihood, number> = { sure: 20, likely: 1, impossible: 0.001, unreadable: 0 };

/** Says what was proposed from a state, and each of the judgements of a state. */
export function searchModel(rows: ReadonlyMap<string, SearchedPuzzle>): LanguageModelV4 {
  return recordedModel('gpt-4', ({ run, key, prompt }) => {
    const [said] = prompt.flatMap(({ role, content }) => (role === 'user' ? content : []));
    const state = said?.type === 'text' ? said.text.slice(soFar.length) : '';
    const row = needed(rows, run);
    const judged = /(\d+)\/value$/.exec(key)?.[1];
    const value = judged === undefined ? proposals(row, state) : judgements(recordedValue(row, state))[Number(judged)];
    return JSON.stringify({ value });
  });
}

/** Asks the recorded model, so that every thought is a call of the run. */
export function thinkerOf(rows: ReadonlyMap<string, SearchedPuzzle>): Thinker<SearchState> {
  return {
    propose: async ({ numbers, text }, { run }) => {
      const question = { step: 'propose', role: 'actor', system: 'Propose.', prompt: soFar + text } as const;
      const asked = await ask(run, { ...question, schema: Proposals });
      return asked.ok ? { ok: true, value: asked.value.value.map((next) => ({ numbers, text: next })) } : asked;
    },
    value: async ({ text }, { run }): Promise<Asked<number>> => {
      // The authors' code asks nobody about a fourth step that is no answer.
      if (recordedValue(needed(rows, run.runId), text) === 0) return { ok: true, value: 0 };
      const question = { step: 'value', role: 'judge', system: 'Judge.', prompt: soFar + text } as const;
      const asked = await run.parallel(
        'evaluations',
        Array.from(
          { length: evaluations },
          () => (branch: typeof run) => ask(branch, { ...question, schema: Judgement }),
        ),
      );
      let sum = 0;
      for (const one of asked) {
        if (!one.ok) throw one.error;
        if (!one.value.ok) return one.value;
        sum += worth[one.value.value.value];
      }
      return { ok: true, value: sum };
    },
  };
}

function proposals({ steps }: SearchedPuzzle, state: string): string[] {
  return steps.find(({ ys }) => ys.includes(state))?.new_ys.filter((next) => next.startsWith(state)) ?? [];
}

/** The value of the state where it was first proposed: the authors' code gives a repetition none. */
function recordedValue({ steps }: SearchedPuzzle, state: string): number {
  const step = steps.find(({ new_ys }) => new_ys.includes(state));
  return step?.values[step.new_ys.indexOf(state)] ?? 0;
}

/** The judgements that a recorded value is the sum of; in which order they came was not recorded. */
export function judgements(value: number): Likelihood[] {
  const thousandths = Math.round(value * 1_000);
  const sure = Math.floor(thousandths / 20_000);
  const likely = Math.floor((thousandths % 20_000) / 1_000);
  const impossible = thousandths % 1_000;
  const counts: [Likelihood, number][] = [
    ['sure', sure],
    ['likely', likely],
    ['impossible', impossible],
    ['unreadable', evaluations - sure - likely - impossible],
  ];
  return counts.flatMap(([judgement, count]) => Array<Likelihood>(Math.max(0, count)).fill(judgement));
}
