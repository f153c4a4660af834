/** The shapes of what is told of a recorded run. */
import * as z from 'zod';

export interface ObservationsQuery {
  id?: string | undefined;
  path?: string | undefined;
  from: number;
}

const count = z.number().int().nonnegative();

export const ObservationsQuery: z.ZodType<ObservationsQuery> = z.strictObject({
  id: z.string().max(40).optional().describe('Only observations of this id, such as `obs-3`'),
  path: z.string().max(1_000).optional().describe('Only observations made there; empty for the run itself'),
  from: z.coerce.number().int().nonnegative().default(0).describe('Contents from this UTF-16 unit on: `next`'),
});

export const StepsView: z.ZodType = z.object({
  steps: z.array(
    z.object({
      seq: count.describe('What a fork takes for `at`'),
      path: z.string(),
      name: z.string(),
      kind: z.enum(['model', 'tool', 'approval', 'other']),
      at: z.number().describe('Milliseconds since the epoch'),
      observation: z.string().optional().describe('What the tool step made; unique within its path'),
      failed: z.literal(true).optional(),
    }),
  ),
  truncated: z.literal(true).optional().describe('The journal is longer'),
});

export const ObservationsView: z.ZodType = z.object({
  observations: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      tool: z.string(),
      args: z.unknown(),
      status: z.string(),
      trust: z.enum(['trusted', 'untrusted']),
      content: z.string().describe('Untrusted text'),
      chars: count.optional().describe('UTF-16 units of the whole content, where it was cut'),
      truncated: z.literal(true).optional(),
      next: count.optional().describe('`from` for the rest; absent when the rest is not to be had'),
    }),
  ),
});

const call = {
  index: count,
  seq: count.optional().describe('Its journal entry'),
  path: z.string(),
  step: z.string(),
  role: z.string(),
  model: z.string(),
  provider: z.string(),
  fingerprint: z.string().describe('SHA-256 over the messages, as the journal has it'),
  messages: count,
  shared: count.describe('Leading messages that are byte for byte those of the call before it in the same path'),
  outcome: z.enum(['reply', 'refused', 'error']),
  detail: z.string().describe('How the reply ended, the limit that refused it, or the error'),
  usage: z.looseObject({}),
  ms: z.number().optional(),
};

export const CallsView: z.ZodType = z.object({
  calls: z.array(z.object(call)),
  complete: z.boolean().describe('Every recorded reply has its prompt'),
  why: z.string().optional().describe('Why not'),
});

export const CallView: z.ZodType = z.object({
  ...call,
  prompt: z
    .array(z.looseObject({ role: z.string(), content: z.unknown() }))
    .describe('Messages of the provider specification; reasoning and what a provider signed are left out'),
  tools: z.array(z.object({ name: z.string(), description: z.string().optional(), inputSchema: z.unknown() })),
  reply: z.array(z.looseObject({ type: z.string() })).describe('Content parts of the provider specification'),
});
