import * as z from 'zod';
import { game24 } from '../graders/game24.ts';
import { type Dataset, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { gameOf24Question, withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

const Numbers = z.string().regex(/^\d+(?: \d+){3}$/);
/** The hundred puzzles of the paper by their rank, counted from 1. */
const paperRanks = { from: 901, to: 1000 };

/**
 * Game of 24 (Yao et al. 2023, Tree of Thoughts, arXiv 2305.10601, section 4.1), from rows `{id, task, expected}` or the published CSV.
 * The kind `paper` is its test set, the puzzles ranked 901 to 1000 of the published file.
 */
export function gameOf24(path: string, selection: TaskSelection = {}): Dataset {
  const plain = rowShape(
    "{id, task: '4 6 11 11', expected: 24}",
    z.object({
      id: z.string().optional(),
      task: Numbers,
      meta: z.object({ tot_test: z.boolean().optional() }).optional(),
    }),
    ({ id, task, meta }) => puzzle(id, task, meta?.tot_test ?? false),
  );
  const published = rowShape(
    "{Rank, Puzzles: '4 6 11 11'}",
    z.object({ Rank: z.coerce.number(), Puzzles: Numbers }),
    ({ Rank, Puzzles }) => puzzle(`game24-${Rank - 1}`, Puzzles, Rank >= paperRanks.from && Rank <= paperRanks.to),
  );
  return {
    name: 'game24',
    description:
      'Game of 24: an expression over four numbers, each used once, that is 24; checked by exact arithmetic.',
    tasks: () => shapedTasks(path, { title: 'Game of 24', shapes: [plain, published] }, selection),
    grade: game24(),
  };
}

function puzzle(id: string | undefined, numbers: string, isOfPaper: boolean): TaskDraft {
  const kind = isOfPaper ? 'paper' : 'other';
  return { id, input: withForm(gameOf24Question(numbers), 'expression'), expected: 24, kind };
}
