/** A search over the paragraphs of one task, and what of the needed facts it brought to light. */
import type MiniSearch from 'minisearch';
import * as z from 'zod';
import { standsIn } from '../../checks/quote-text.ts';
import { queryTokens, tokens } from '../../tools/builtin/documents/tokens.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import type { Grader } from '../grader.ts';
import { paragraphsText } from './prompts.ts';

export interface Paragraph {
  title: string;
  sentences: readonly string[];
}

/** A tool that finds the paragraphs that fit a query best (BM25+ over title and text) and returns them whole. It reads nothing else. */
export function searchParagraphs(paragraphs: readonly Paragraph[]): Tool {
  let index: Promise<MiniSearch> | undefined;
  return tool({
    name: 'searchParagraphs',
    description:
      'Searches a small encyclopedia and returns the best paragraphs word for word, each under its title. Use names and words that an article would use.',
    input: z.object({
      query: z.string().trim().min(1).max(1_000).describe('What to look for: a title or a few telling words.'),
      limit: z.int().min(1).max(5).default(2).describe('How many paragraphs to return.'),
    }),
    effect: 'read',
    run: async ({ query, limit }) => {
      index ??= indexOf(paragraphs);
      const found = (await index).search(query).slice(0, limit);
      const best = found.flatMap(({ id }) => paragraphs[id] ?? []);
      const titles = paragraphs.map(({ title }) => title).join('; ');
      return best.length > 0 ? paragraphsText(best) : `No paragraph fits "${query}". The titles are: ${titles}`;
    },
  });
}

async function indexOf(paragraphs: readonly Paragraph[]): Promise<MiniSearch> {
  const { default: Index } = await import('minisearch');
  const index = new Index({
    fields: ['title', 'text'],
    tokenize: tokens,
    // The terms are in their final form already.
    processTerm: (term) => term,
    searchOptions: { tokenize: queryTokens, processTerm: (term) => term, boost: { title: 2 }, prefix: true },
  });
  index.addAll(paragraphs.map(({ title, sentences }, id) => ({ id, title, text: sentences.join('') })));
  return index;
}

/**
 * Passes when every supporting sentence of the task stands in what a tool returned; the score is the share that does. It says whether
 * an answer was found or known (compare the supporting facts of HotpotQA, Yang et al. 2018, which the answer has to name).
 */
export function supportingFacts(factsOf: (taskId: string) => readonly string[]): Grader {
  return {
    name: 'supporting-facts',
    knows: 'reference',
    config: {},
    reads: 'attempt',
    grade: ({ task, attempt }) => {
      const facts = factsOf(task.id);
      const read = attempt.observations.filter(({ status }) => status === 'ok').map(({ content }) => content);
      const missing = facts.filter((fact) => !read.some((content) => standsIn(fact, content)));
      const score = facts.length === 0 ? 0 : 1 - missing.length / facts.length;
      const why = `${facts.length - missing.length} of ${facts.length} supporting sentences were read`;
      return { pass: score === 1, score, why: missing[0] === undefined ? why : `${why}; not: ${missing[0].trim()}` };
    },
  };
}
