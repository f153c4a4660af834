import type { Grader } from 'assay/evals';
import { flawsOf, type GeneratedTask } from 'assay/testing';

/** Right is the generated answer, word for word: the simulated actor has no other words, and a broken condition changes it. */
export function rightAnswer(tasks: readonly GeneratedTask[]): Grader {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return {
    name: 'right-answer',
    knows: 'reference',
    config: null,
    reads: 'answer',
    grade: ({ task: { id }, answer }) => {
      const task = byId.get(id);
      if (!task) throw new RangeError(`right-answer: '${id}' is no task of this suite`);
      const [flaw] = flawsOf(task, { answer, claims: [], observations: [] }, { closed: true });
      return { pass: flaw === undefined, score: flaw === undefined ? 1 : 0, why: flaw ?? 'it is the right answer' };
    },
  };
}
