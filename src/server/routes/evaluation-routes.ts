import * as z from 'zod';
import type { EvaluationShelf } from '../../evals/evaluation-shelf.ts';
import { storedResult } from '../../stored-result.ts';
import { evaluationView } from '../evaluation-view.ts';
import { notFound } from '../problem.ts';
import { json, type Route, route } from '../route.ts';
import { configurationIn, viewOf } from '../run-view.ts';
import { EventView, NoQuery, RunView } from '../schemas.ts';
import { defaultTenant } from '../server-options.ts';
import type { Principal } from '../tokens.ts';

const count = z.number().int().nonnegative();
const time = z.number().describe('Milliseconds since the epoch');
const share = z
  .looseObject({
    count,
    of: count,
    rate: z.number().nullable(),
    low: z.number().nullable(),
    high: z.number().nullable(),
  })
  .describe('A share with its 95 % interval; null where there is nothing to count');

export const EvaluationPage: z.ZodType = z.object({
  evaluations: z.array(
    z.object({
      suite: z.string(),
      id: z.string(),
      began: time,
      ended: time.optional(),
      tasks: count,
      repeats: count,
      configurations: count,
      subject: z.string().describe('The configuration under test'),
      success: share.nullable(),
    }),
  ),
});

export const EvaluationView: z.ZodType = z
  .looseObject({
    header: z.looseObject({ id: z.string(), suite: z.string(), began: time, subject: z.string() }),
    planned: count.describe('Runs that it comes to'),
    models: z.array(z.object({ id: z.string(), source: z.string(), configurations: z.array(z.string()) })),
    metrics: z.array(z.looseObject({ configuration: z.string(), success: share })),
    comparisons: z.array(z.looseObject({ a: z.string(), b: z.string() })),
    costs: z.object({ unit: z.enum(['usd', 'tokens']), points: z.array(z.looseObject({ configuration: z.string() })) }),
    ablation: z.looseObject({}).optional(),
    layers: z.array(z.looseObject({ layer: z.string(), count, byConfiguration: z.record(z.string(), count) })),
    criteria: z.array(z.object({ label: z.string(), wanted: z.string(), found: z.string(), met: z.boolean() })),
    failed: z.array(
      z.object({
        configuration: z.string(),
        task: z.string(),
        repeat: count,
        runId: z.string(),
        outcome: z.string(),
        why: z.string(),
        layer: z.string().optional(),
        labelledBy: z.string().optional(),
        remedy: z.string().optional(),
      }),
    ),
  })
  .describe('The report of the library; figures nobody knows are null');

export const EvaluatedRunView: z.ZodType = z.object({ run: RunView, events: z.array(EventView) });

/** The stored evaluations: they are of the whole server, so only the tenant `default` sees them. */
export function evaluationRoutes(shelf: EvaluationShelf | undefined): Route[] {
  const shelfOf = ({ tenant }: Principal): EvaluationShelf | undefined =>
    tenant === defaultTenant ? shelf : undefined;
  return [
    route({
      method: 'get',
      path: '/v1/evaluations',
      operation: 'listEvaluations',
      summary: 'The evaluations, newest first',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The evaluations', schema: EvaluationPage } },
      handle: async ({ principal }) => json({ evaluations: (await shelfOf(principal)?.list()) ?? [] }),
    }),
    route({
      method: 'get',
      path: '/v1/evaluations/:suite/:id',
      operation: 'getEvaluation',
      summary: 'The report on an evaluation',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The report', schema: EvaluationView } },
      handle: async ({ principal, params }) => {
        const report = await shelfOf(principal)?.read(params['suite'] ?? '', params['id'] ?? '');
        if (!report) throw notFound('evaluation');
        return json(evaluationView(report));
      },
    }),
    route({
      method: 'get',
      path: '/v1/evaluations/:suite/:id/runs/:run',
      operation: 'getEvaluatedRun',
      summary: 'One run of an evaluation with its events',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The run', schema: EvaluatedRunView } },
      handle: async ({ principal, params }) => {
        const { suite = '', id = '', run = '' } = params;
        const found = await evaluatedRun(shelfOf(principal), { suite, id, run });
        if (!found) throw notFound('run of an evaluation');
        return json(found);
      },
    }),
  ];
}

async function evaluatedRun(
  shelf: EvaluationShelf | undefined,
  { suite, id, run }: { suite: string; id: string; run: string },
): Promise<unknown> {
  const runs = await shelf?.openRuns(suite, id);
  if (!runs) return undefined;
  try {
    const info = await runs.host.info(run);
    if (!info) return undefined;
    const events = await runs.events.read(run);
    const status = info.state === 'suspended' ? 'awaiting_approval' : (storedResult(info)?.status ?? info.state);
    return { run: viewOf(info, { agent: info.workflow, status, configuration: configurationIn(events) }), events };
  } finally {
    await runs.close();
  }
}
