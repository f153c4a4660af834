/** The pages by address. Addresses stand behind the `#`, so the page works wherever it is mounted; a view is loaded when it is opened. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { Lesson, RunStatus } from './api/shapes.ts';
import { isLessonStatus } from './lessons/lesson-status.ts';
import { allStatuses } from './parts/badge.tsx';
import { timelineFilterOf } from './run/timeline-search.ts';
import { RunsPage } from './runs/runs-page.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/runs' });
  },
});

/** The filter of the list, kept in its address. */
export interface RunsSearch {
  status?: RunStatus;
  agent?: string;
  search?: string;
  after?: string;
}

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: (given: Record<string, unknown>): RunsSearch => ({
    ...textsOf(given, ['agent', 'search', 'after']),
    ...(isStatus(given['status']) && { status: given['status'] }),
  }),
  component: RunsPage,
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./run/run-page.tsx'), 'RunPage'),
});

const timeline = createRoute({
  getParentRoute: () => run,
  path: '/',
  validateSearch: timelineFilterOf,
  component: lazyRouteComponent(() => import('./run/timeline-tab.tsx'), 'TimelineTab'),
});

const calls = createRoute({
  getParentRoute: () => run,
  path: '/calls',
  validateSearch: (given: Record<string, unknown>): { call?: number } =>
    Number.isInteger(given['call']) ? { call: Number(given['call']) } : {},
  component: lazyRouteComponent(() => import('./run/calls-tab.tsx'), 'CallsTab'),
});

const evidence = createRoute({
  getParentRoute: () => run,
  path: '/evidence',
  validateSearch: (given: Record<string, unknown>): { claim?: number } =>
    Number.isInteger(given['claim']) ? { claim: Number(given['claim']) } : {},
  component: lazyRouteComponent(() => import('./evidence/evidence-tab.tsx'), 'EvidenceTab'),
});

const search = createRoute({
  getParentRoute: () => run,
  path: '/search',
  component: lazyRouteComponent(() => import('./run/search-tab.tsx'), 'SearchTab'),
});

const steps = createRoute({
  getParentRoute: () => run,
  path: '/steps',
  component: lazyRouteComponent(() => import('./run/steps-tab.tsx'), 'StepsTab'),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  component: lazyRouteComponent(() => import('./approvals/approvals-page.tsx'), 'ApprovalsPage'),
});

const lessons = createRoute({
  getParentRoute: () => root,
  path: '/lessons',
  validateSearch: (given: Record<string, unknown>): { status?: Lesson['status'] } =>
    isLessonStatus(given['status']) ? { status: given['status'] } : {},
  component: lazyRouteComponent(() => import('./lessons/lessons-page.tsx'), 'LessonsPage'),
});

const evaluations = createRoute({
  getParentRoute: () => root,
  path: '/evaluations',
  component: lazyRouteComponent(() => import('./evaluations/evaluations-page.tsx'), 'EvaluationsPage'),
});

const evaluation = createRoute({
  getParentRoute: () => root,
  path: '/evaluations/$suite/$id',
  component: lazyRouteComponent(() => import('./evaluations/report-page.tsx'), 'ReportPage'),
});

const evaluatedRun = createRoute({
  getParentRoute: () => root,
  path: '/evaluations/$suite/$id/run',
  validateSearch: (given: Record<string, unknown>): { run: string } => ({ run: String(given['run'] ?? '') }),
  component: lazyRouteComponent(() => import('./evaluations/evaluated-run-page.tsx'), 'EvaluatedRunPage'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: (given: Record<string, unknown>): { a?: string; b?: string } => textsOf(given, ['a', 'b']),
  component: lazyRouteComponent(() => import('./compare/compare-page.tsx'), 'ComparePage'),
});

const tree = root.addChildren([
  compare,
  evaluations,
  evaluation,
  evaluatedRun,
  home,
  runs,
  approvals,
  lessons,
  run.addChildren([timeline, evidence, calls, search, steps]),
]);

export const router = createRouter({
  routeTree: tree,
  history: createHashHistory(),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function isStatus(value: unknown): value is RunStatus {
  return allStatuses.some((status) => status === value);
}

function textsOf<Name extends string>(
  given: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found = names.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  // Only the given names are there.
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}
