import type { Lesson } from '../../core/lesson.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { notFound } from '../problem.ts';
import { json, type Route, route } from '../route.ts';
import { LessonPage, LessonsQuery, LessonView, NoQuery } from '../schemas.ts';

/** The lessons of one tenant. */
export interface TenantLessons {
  store: LessonStore;
  /** Default: all of the store. */
  scope?: string | undefined;
}

/** The reflection memory of the tenant: look, forget, expire. `lessonsOf` gives undefined for a tenant that has none. */
export function lessonRoutes(lessonsOf: (tenant: string) => TenantLessons | undefined): Route[] {
  const find = async (tenant: string, id: string): Promise<{ store: LessonStore; lesson: Lesson }> => {
    const mine = lessonsOf(tenant);
    const lesson = await mine?.store.get(id);
    if (!mine || !lesson || (mine.scope ?? lesson.scope) !== lesson.scope) throw notFound('lesson');
    return { store: mine.store, lesson };
  };
  return [
    route<LessonsQuery>({
      method: 'get',
      path: '/v1/lessons',
      operation: 'listLessons',
      summary: 'The lessons of the tenant',
      scope: 'read',
      query: LessonsQuery,
      responses: { 200: { description: 'The lessons', schema: LessonPage } },
      handle: async ({ principal, query }) => {
        const mine = lessonsOf(principal.tenant);
        const { status, limit } = query;
        const all = await mine?.store.list({
          ...(mine.scope !== undefined && { scope: mine.scope }),
          ...(status !== undefined && { status }),
        });
        return json({ lessons: (all ?? []).slice(0, limit) });
      },
    }),
    route({
      method: 'get',
      path: '/v1/lessons/:id',
      operation: 'getLesson',
      summary: 'One lesson with its record',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The lesson', schema: LessonView } },
      handle: async ({ principal, params }) => json((await find(principal.tenant, params['id'] ?? '')).lesson),
    }),
    route({
      method: 'delete',
      path: '/v1/lessons/:id',
      operation: 'forgetLesson',
      summary: 'Forgets a lesson; nothing of its text is left',
      scope: 'approve',
      query: NoQuery,
      responses: { 204: { description: 'It is forgotten' } },
      handle: async ({ principal, params }) => {
        const { store, lesson } = await find(principal.tenant, params['id'] ?? '');
        await store.forget(lesson.id);
        return new Response(null, { status: 204 });
      },
    }),
    route({
      method: 'post',
      path: '/v1/lessons/:id/expire',
      operation: 'expireLesson',
      summary: 'Ends the use of a lesson',
      scope: 'approve',
      query: NoQuery,
      responses: { 200: { description: 'The lesson', schema: LessonView } },
      handle: async ({ principal, params }) => {
        const { store, lesson } = await find(principal.tenant, params['id'] ?? '');
        await store.expire(lesson.id, Date.now());
        return json((await store.get(lesson.id)) ?? lesson);
      },
    }),
  ];
}
