import * as z from 'zod';
import { label } from '../graders/label.ts';
import { type Dataset, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

const verdicts = ['SUPPORTS', 'REFUTES', 'NOT ENOUGH INFO'] as const;
const Id = z.union([z.string(), z.number()]).optional();

/**
 * FEVER, claims against Wikipedia (Thorne et al. 2018, arXiv 1803.05355), from rows `{id, task, expected}` or the published `{claim,
 * label}`.
 */
export function fever(path: string, selection: TaskSelection = {}): Dataset {
  const plain = rowShape(
    "{id, task: CLAIM, expected: 'SUPPORTS'}",
    z.object({ id: Id, task: z.string(), expected: z.enum(verdicts) }),
    ({ id, task, expected }) => claimTask(id, task, expected),
  );
  const published = rowShape(
    "{id, claim, label: 'SUPPORTS'}",
    z.object({ id: Id, claim: z.string(), label: z.enum(verdicts) }),
    ({ id, claim, label: verdict }) => claimTask(id, claim, verdict),
  );
  return {
    name: 'fever',
    description:
      'FEVER: claims that Wikipedia supports, refutes or does not settle; the label alone is graded, not the evidence.',
    tasks: () => shapedTasks(path, { title: 'FEVER', shapes: [plain, published] }, selection),
    grade: label(verdicts),
  };
}

function claimTask(id: string | number | undefined, claim: string, verdict: (typeof verdicts)[number]): TaskDraft {
  return { id, input: withForm(`Claim: ${claim}`, 'verdict'), expected: verdict, kind: verdict };
}
