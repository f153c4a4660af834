/** Parts of a recorded run that its attempt and its events share. */
import * as z from 'zod';
import type * as attempt from '../../../core/attempt.ts';
import { Issue } from '../../../core/attempt.ts';

export const Report: z.ZodType<attempt.Report> = z.object({
  by: z.string(),
  knows: z.enum(['tests', 'rules', 'schema', 'reference', 'another-model', 'self']).default('self'),
  verdict: z.enum(['pass', 'revise', 'fail', 'unchecked']),
  issues: z.array(Issue).default([]),
  needsMoreTools: z.boolean().default(false),
});

export const Ending: z.ZodType<attempt.Ending> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('final') }),
  z.object({
    type: z.literal('limit'),
    limit: z.enum(['modelCalls', 'toolCalls', 'tokens', 'usd', 'ms', 'steps', 'no-progress', 'context', 'interrupted']),
    detail: z.string().default(''),
  }),
  z.object({
    type: z.literal('fault'),
    fault: z.enum([
      'too-many-faults',
      'model-error',
      'empty-response',
      'refused',
      'truncated',
      'invalid-answer',
      'invalid-plan',
    ]),
    detail: z.string().default(''),
  }),
]);
