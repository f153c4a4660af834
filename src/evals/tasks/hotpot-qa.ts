import * as z from 'zod';
import { normalised } from '../graders/normalised.ts';
import type { Environment } from '../suite.ts';
import { type Dataset, type RowShape, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { type Paragraph, searchParagraphs, supportingFacts } from './paragraph-search.ts';
import { paragraphsText, withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

export interface HotpotQaOptions extends TaskSelection {
  /** An answer counts only where tools returned every supporting sentence: it was found and not only known. Default false. */
  gradeEvidence?: boolean;
}

const Paragraphs: z.ZodType<Paragraph[]> = z
  .array(z.object({ title: z.string(), sentences: z.array(z.string()).min(1) }))
  .min(1);

/**
 * HotpotQA in the distractor setting (Yang et al. 2018, arXiv 1809.09600): two paragraphs with the facts among others. A solver without
 * tools reads them in its prompt, one with tools gets a search over them. From rows `{id, task, expected, context}` or the published JSON.
 * The supporting sentences are in no prompt and in no tool.
 */
export function hotpotQa(path: string, { gradeEvidence = false, ...selection }: HotpotQaOptions = {}): Dataset {
  const facts = new Map<string, readonly string[]>();
  const answer = normalised({ metric: 'em' });
  return {
    name: 'hotpotqa',
    description:
      'HotpotQA, distractor setting: questions over two of ten given paragraphs; right is the normalised exact answer.',
    tasks: () =>
      shapedTasks(
        path,
        { title: 'HotpotQA with paragraphs', shapes: [plainRow(facts), publishedRow(facts)] },
        selection,
      ),
    grade: gradeEvidence ? [answer, supportingFacts((id) => facts.get(id) ?? [])] : answer,
    environment: ({ context }): Environment => ({ tools: [searchParagraphs(Paragraphs.parse(context))] }),
    contextText: (context) => paragraphsText(Paragraphs.parse(context)),
  };
}

/**
 * HotpotQA with nothing but the question, from rows of either setting: what a model knows, or finds with the tools of the configuration.
 */
export function hotpotQaQuestions(path: string, selection: TaskSelection = {}): Dataset {
  return {
    name: 'hotpotqa-questions',
    description: 'HotpotQA, questions without paragraphs; right is the normalised exact answer.',
    tasks: () => shapedTasks(path, { title: 'HotpotQA', shapes: [questionRow, publishedQuestion] }, selection),
    grade: normalised({ metric: 'em' }),
  };
}

const Id = z.union([z.string(), z.number()]).optional();
const Meta = z.object({ type: z.string().optional() }).optional();

function draft(row: {
  id?: string | number | undefined;
  question: string;
  answer: string;
  kind?: string | undefined;
}): TaskDraft {
  const { id, question, answer, kind = 'em_f1' } = row;
  return { id, input: withForm(question, 'shortAnswer'), expected: answer, kind };
}

const questionRow = rowShape(
  '{id, task, expected}',
  z.object({ id: Id, task: z.string(), expected: z.string(), kind: z.string().optional(), meta: Meta }),
  ({ id, task, expected, kind, meta }) => draft({ id, question: task, answer: expected, kind: meta?.type ?? kind }),
);

const publishedQuestion = rowShape(
  '{_id, question, answer}',
  z.object({ _id: Id, question: z.string(), answer: z.string(), type: z.string().optional() }),
  ({ _id, question, answer, type }) => draft({ id: _id, question, answer, kind: type }),
);

/** The supporting sentences of each task by its id. */
type Facts = Map<string, readonly string[]>;

function plainRow(facts: Facts): RowShape {
  return rowShape(
    '{id, task, expected, context: [{title, sentences, supporting: [0]}, …]}',
    z.object({
      id: z.string(),
      task: z.string(),
      expected: z.string(),
      kind: z.string().optional(),
      meta: Meta,
      context: z
        .array(z.object({ title: z.string(), sentences: z.array(z.string()), supporting: z.array(z.int()) }))
        .min(1),
    }),
    ({ id, task, expected, kind, meta, context }) => {
      const supporting = context.flatMap(({ sentences, supporting: indices }) => indices.map((at) => sentences[at]));
      facts.set(id, known(supporting));
      const paragraphs = context.map(({ title, sentences }) => ({ title, sentences }));
      return { ...draft({ id, question: task, answer: expected, kind: meta?.type ?? kind }), context: paragraphs };
    },
  );
}

function publishedRow(facts: Facts): RowShape {
  return rowShape(
    '{_id, question, answer, context: [[title, sentences], …], supporting_facts: [[title, 0], …]}',
    z.object({
      _id: z.string(),
      question: z.string(),
      answer: z.string(),
      type: z.string().optional(),
      context: z.array(z.tuple([z.string(), z.array(z.string())])).min(1),
      supporting_facts: z.array(z.tuple([z.string(), z.int()])),
    }),
    ({ _id, question, answer, type, context, supporting_facts }) => {
      const byTitle = new Map(context);
      facts.set(_id, known(supporting_facts.map(([title, at]) => byTitle.get(title)?.[at])));
      const paragraphs = context.map(([title, sentences]) => ({ title, sentences }));
      return { ...draft({ id: _id, question, answer, kind: type }), context: paragraphs };
    },
  );
}

/** A few published rows name a sentence that their paragraph does not have. */
function known(sentences: readonly (string | undefined)[]): string[] {
  return sentences.filter((sentence) => sentence !== undefined);
}
