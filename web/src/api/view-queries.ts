/** What the views beside the runs ask for, and what they do. */
import { queryOptions } from '@tanstack/react-query';
import { askJson, withQuery } from './client.ts';
import { act, runPath, useAct } from './queries.ts';
import type { ApprovalView, Lesson } from './shapes.ts';

/** The waiting calls of one run, which tells of them a moment before the list of all does. */
export const runApprovalsQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', id],
    queryFn: async ({ signal }) =>
      (await askJson<{ approvals: ApprovalView[] }>(runPath(id, '/approvals'), { signal })).approvals,
  });

/** `args`: the call runs with these instead. */
type Decision = { word: 'approve'; args?: Record<string, unknown> } | { word: 'deny'; reason?: string | undefined };

export function useDecide({ run, call }: Pick<ApprovalView, 'run' | 'call'>) {
  return useAct(({ word, ...body }: Decision) =>
    askJson<unknown>(runPath(run, `/approvals/${encodeURIComponent(call)}/${word}`), { method: 'POST', body }),
  );
}

/** As many as the server gives at once. */
const mostLessons = 200;

export const lessonsQuery = (status: Lesson['status'] | undefined) =>
  queryOptions({
    queryKey: ['lessons', status],
    queryFn: async ({ signal }) =>
      (await askJson<{ lessons: Lesson[] }>(withQuery('v1/lessons', { status, limit: mostLessons }), { signal }))
        .lessons,
  });

/** What can be changed of a lesson; `active` puts one in use again. `expires` is ISO 8601 in UTC. */
export interface LessonChange {
  trigger?: string;
  failurePattern?: string;
  lesson?: string;
  avoid?: string;
  status?: 'active';
  expires?: string;
}

export function useEditLesson(id: string) {
  return useAct((body: LessonChange) => askJson<Lesson>(lessonPath(id), { method: 'PATCH', body }));
}

export function useExpireLesson(id: string) {
  return useAct(() => askJson<Lesson>(`${lessonPath(id)}/expire`, { method: 'POST', body: {} }));
}

export function useForgetLesson(id: string) {
  return useAct(() => act(lessonPath(id), { method: 'DELETE' }));
}

function lessonPath(id: string): string {
  return `v1/lessons/${encodeURIComponent(id)}`;
}
