/** Direct Preference Optimization (Rafailov et al. 2023): a prompt with an answer that passed and one that did not. */
import type { ZodType } from 'zod';
import type { Example, TaskGroup } from './example.ts';
import { type Pair, pairsOf, rankingsOf } from './pairs.ts';
import { OpenAiPreference, TrlPreference, TrlTextPreference } from './shapes.ts';

export type DpoShape = 'trl' | 'trl-text' | 'openai';

export const dpoSchemas: Readonly<Record<DpoShape, ZodType>> = {
  trl: TrlPreference,
  'trl-text': TrlTextPreference,
  openai: OpenAiPreference,
};

export function dpoExamples(
  group: TaskGroup,
  options: { shape: DpoShape; margin: number; perTask: number },
): Example[] {
  return rankingsOf(group).flatMap((ranking) =>
    pairsOf(ranking, { margin: options.margin, most: options.perTask }).map((pair) => ({
      rows: [rowOf(ranking.question, pair, options.shape)],
      answers: [pair.chosen, pair.rejected],
      rebuilt: false,
      unseenEvidence: pair.chosen.usedTools || pair.rejected.usedTools,
    })),
  );
}

function rowOf(question: string, { chosen, rejected }: Pair, shape: DpoShape): object {
  const asked = [{ role: 'user', content: question }];
  const said = (content: string): object[] => [{ role: 'assistant', content }];
  switch (shape) {
    case 'trl':
      return { prompt: asked, chosen: said(chosen.answer), rejected: said(rejected.answer) };
    case 'trl-text':
      return { prompt: question, chosen: chosen.answer, rejected: rejected.answer };
    case 'openai':
      return {
        input: { messages: asked, tools: [], parallel_tool_calls: true },
        preferred_output: said(chosen.answer),
        non_preferred_output: said(rejected.answer),
      };
    default:
      return shape satisfies never;
  }
}
