import { offlineContext } from '../../checks/offline.ts';
import type { Attempt } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import { type Grader, gradeAll } from '../grader.ts';
import type { EvalTask } from '../suite.ts';

/**
 * Whether each version of an answer was right, for each place in the run where one was revised: what refining did (Huang et al. 2024,
 * section 3). Empty where a grader reads more than the answer, since earlier versions are known by their text alone.
 */
export async function versionsOf(
  events: readonly RunEvent[],
  graded: { task: EvalTask; attempt: Attempt; graders: readonly Grader[] },
): Promise<boolean[][]> {
  const { task, attempt, graders } = graded;
  if (graders.some(({ reads, knows }) => reads !== 'answer' || knows === 'another-model' || knows === 'self'))
    return [];
  const drafts = events.filter((event) => event.type === 'answer.drafted' && !event.degraded);
  const revised = [...Map.groupBy(drafts, ({ path }) => path).values()].filter((versions) => versions.length > 1);
  return Promise.all(
    revised.map((versions) =>
      Promise.all(
        versions.map(async (event) => {
          const answer = event.type === 'answer.drafted' ? event.answer : undefined;
          const grade = await gradeAll(graders, { task, answer, attempt: { ...attempt, answer } }, offlineContext());
          return grade.pass;
        }),
      ),
    ),
  );
}
