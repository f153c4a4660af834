import { UsageError } from '../../core/errors.ts';
import type { Lesson } from '../../core/lesson.ts';
import type { LessonChange, LessonStore } from '../../memory/memory.ts';
import { notFound } from '../problem.ts';
import { json, type Route, route } from '../route.ts';
import { LessonBody, LessonPage, LessonsQuery, LessonView, NoQuery } from '../schemas.ts';

/** The lessons of one tenant. */
export interface TenantLessons {
  store: LessonStore;
  /** Default: all of the store. */
  scope?: string | undefined;
}

/** The reflection memory of the tenant: look, edit, forget, expire. `lessonsOf` gives undefined for a tenant that has none. */
export function lessonRoutes(lessonsOf: (tenant: string) => TenantLessons | undefined): Route[] {
  const find: Find = async (tenant, id) => {
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
    ...governing(find),
  ];
}

type Find = (tenant: string, id: string) => Promise<{ store: LessonStore; lesson: Lesson }>;

function governing(find: Find): Route[] {
  return [
    route<unknown, LessonBody>({
      method: 'patch',
      path: '/v1/lessons/:id',
      operation: 'editLesson',
      summary: "Changes a lesson on a human's word, or puts one in use that is not",
      scope: 'approve',
      query: NoQuery,
      body: LessonBody,
      responses: { 200: { description: 'The lesson', schema: LessonView } },
      handle: async ({ principal, params, body }) => {
        const { store, lesson } = await find(principal.tenant, params['id'] ?? '');
        const changed = await store.edit(lesson.id, changeOf(body), Date.now());
        // Of a forgotten one all that is left is its place.
        if (!changed) throw notFound('lesson');
        return json(changed);
      },
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

function changeOf({ expires, ...texts }: LessonBody): LessonChange {
  if (expires !== undefined && Date.parse(expires) <= Date.now()) {
    throw new UsageError(`A lesson cannot be edited to end in the past (${expires}). POST …/expire ends it now.`);
  }
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return { ...given, ...(expires !== undefined && { expires: Date.parse(expires) }) };
}
