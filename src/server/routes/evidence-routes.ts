import * as z from 'zod';
import { storedResult } from '../../stored-result.ts';
import { evidenceView } from '../evidence-view.ts';
import { json, type Route, route } from '../route.ts';
import type { RunFinder } from '../run-finder.ts';
import { isRunInput } from '../run-record.ts';
import { NoQuery } from '../schemas.ts';

const Issue = z.looseObject({ type: z.string(), detail: z.string(), requiredAction: z.string() });

const EvidenceSchema: z.ZodType = z.object({
  claims: z.array(
    z.object({
      text: z.string(),
      state: z.enum(['supported', 'recomputed', 'unsupported']),
      evidence: z.array(
        z.object({
          observation: z.string(),
          path: z.string().optional(),
          quote: z.string(),
          spans: z
            .array(z.object({ from: z.int(), to: z.int() }))
            .describe('In UTF-16 units of the content; empty when the quote does not stand there'),
        }),
      ),
      issues: z.array(Issue),
    }),
  ),
  issues: z.array(Issue).describe('Open issues that are of no one claim'),
});

/** What the answer of a run rests on. */
export function evidenceRoutes(finder: RunFinder): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/runs/:id/evidence',
      operation: 'getEvidence',
      summary:
        'The claims of the answer, each with the places of its quotes in the observations; none before there is an answer',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The claims', schema: EvidenceSchema } },
      handle: async ({ principal, params }) => {
        const { run } = await finder.get(principal, params['id'] ?? '');
        const result = storedResult(run);
        if (!result || !isRunInput(run.input)) return json({ claims: [], issues: [] });
        return json(await evidenceView(result, run.input.task));
      },
    }),
  ];
}
