/** The shapes of requests and responses: what is validated is what the OpenAPI document says. */
import * as z from 'zod';
import type { Limits } from '../core/budget.ts';
import type { LessonStatus } from '../core/lesson.ts';
import type { RunStatus } from '../runtime/run-index.ts';
import { runStatuses } from './run-index.ts';

export interface TaskBody {
  input: string;
  constraints?: string[] | undefined;
  outputSchema?: Record<string, unknown> | undefined;
  checks?: string[] | undefined;
}

export interface RunBody {
  task: string | TaskBody;
  agent?: string | undefined;
  budget?: Limits | undefined;
}

export interface ForkBody {
  at: number;
  task?: { [field in keyof TaskBody]?: TaskBody[field] | undefined } | undefined;
  budget?: Limits | undefined;
  agent?: string | undefined;
  observation?: { content: string } | undefined;
}

export interface DecisionBody {
  args?: Record<string, unknown> | undefined;
  reason?: string | undefined;
}

export interface RunsQuery {
  status?: RunStatus | undefined;
  agent?: string | undefined;
  search?: string | undefined;
  after?: string | undefined;
  limit: number;
}

export interface LessonsQuery {
  status?: LessonStatus | undefined;
  limit: number;
}

export interface LessonBody {
  trigger?: string | undefined;
  failurePattern?: string | undefined;
  lesson?: string | undefined;
  avoid?: string | undefined;
  status?: 'active' | undefined;
  expires?: string | undefined;
}

const amount = z.number().nonnegative();
const count = z.number().int().nonnegative();
const instant = z.iso.datetime().describe('UTC');

const BudgetBody: z.ZodType<Limits> = z
  .strictObject({
    modelCalls: amount.optional(),
    toolCalls: amount.optional(),
    tokens: amount.optional(),
    usd: amount.optional(),
    ms: amount.optional().describe('Active wall time in milliseconds'),
  })
  .describe('Upper bounds of one run; each within what the token allows');

const taskFields = {
  input: z.string().min(1).max(200_000),
  constraints: z.array(z.string().max(10_000)).max(100).optional().describe('Conditions the answer must meet'),
  outputSchema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the answer, without pattern and patternProperties'),
  checks: z.array(z.string().max(200)).max(50).optional().describe('Names of checks the agent knows'),
};
const TaskBody = z.strictObject(taskFields);

export const RunBody: z.ZodType<RunBody> = z.strictObject({
  task: z.union([z.string().min(1).max(200_000), TaskBody]),
  agent: z.string().max(100).optional().describe('The name of an agent of this server; default the first'),
  budget: BudgetBody.optional(),
});

export const ResumeBody: z.ZodType<{ budget?: Limits | undefined }> = z.strictObject({
  budget: BudgetBody.optional().describe('For a run that a limit stopped: higher limits. That makes a new run'),
});

export const ForkBody: z.ZodType<ForkBody> = z.strictObject({
  at: count.describe('The last journal entry (`seq`) that the new run repeats; 0 for none'),
  task: TaskBody.partial()
    .optional()
    .describe('What to change of the task. A recorded reply to other words parks the run'),
  budget: BudgetBody.optional(),
  agent: z
    .string()
    .max(100)
    .optional()
    .describe('Goes on with another agent of this server, which lives on the same host; default the same'),
  observation: z
    .strictObject({ content: z.string() })
    .optional()
    .describe('In place of what the tool step `at` returned. The new run is marked `edited`'),
});

export const ApproveBody: z.ZodType<DecisionBody> = z.strictObject({
  args: z.record(z.string(), z.unknown()).optional().describe('Run the call with these arguments instead'),
  reason: z.string().max(2_000).optional(),
});

export const DenyBody: z.ZodType<DecisionBody> = z.strictObject({
  reason: z.string().max(2_000).optional().describe('The model is told'),
});

const limit = z.coerce.number().int().min(1).max(200).default(50);
const RunStatusField = z.enum(runStatuses);

export const RunsQuery: z.ZodType<RunsQuery> = z.strictObject({
  status: RunStatusField.optional(),
  agent: z.string().max(100).optional(),
  search: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A part of the task as lists show it, in either case, or the start of an id'),
  after: z.string().max(400).optional().describe('`next` of the page before'),
  limit,
});

export const WaitQuery: z.ZodType<{ wait?: 'true' | 'false' | undefined }> = z.strictObject({
  wait: z.enum(['true', 'false']).optional().describe('Answer with the Result, as `Prefer: wait` does'),
});

export const EventsQuery: z.ZodType<{ after?: string | undefined; limit: number }> = z.strictObject({
  after: z.string().max(1_000).optional().describe('The id of an event, as Last-Event-ID'),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000).describe('Of the JSON array'),
});

export const LessonsQuery: z.ZodType<LessonsQuery> = z.strictObject({
  status: z.enum(['active', 'retired', 'quarantined', 'expired', 'forgotten']).optional(),
  limit,
});

const lessonText = z.string().min(1).max(2_000).optional();

export const LessonBody: z.ZodType<LessonBody> = z
  .strictObject({
    trigger: lessonText,
    failurePattern: lessonText,
    lesson: lessonText,
    avoid: lessonText,
    status: z.literal('active').optional().describe('Puts in use what is quarantined, retired or expired'),
    expires: instant.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'say what to change');

export const NoQuery: z.ZodType<Record<string, never>> = z.strictObject({});

const Usage = z.looseObject({
  modelCalls: count,
  toolCalls: count,
  inputTokens: count,
  outputTokens: count,
  tokens: count,
  usd: amount,
});

const Result = z
  .looseObject({
    runId: z.string(),
    status: RunStatusField,
    reason: z.object({ code: z.string(), detail: z.string() }),
    answer: z.string().optional().describe('As the model wrote it; `answer` of the run is safe to be shown'),
    attempt: z.looseObject({ claims: z.array(z.unknown()), observations: z.array(z.unknown()) }),
    selfChecked: z.boolean().describe('The only judge was the model that answered'),
    usage: Usage,
  })
  .describe('The Result of the library');

const runFields = {
  id: z.string(),
  agent: z.string(),
  status: RunStatusField,
  created: instant,
  updated: instant,
  forkedFrom: z.string().optional(),
  configuration: z.string().optional().describe('Model, solver and layers, as the run itself says'),
};

export const RunView: z.ZodType = z.object({
  ...runFields,
  task: z.looseObject({ input: z.string() }),
  budget: z.looseObject({}),
  pending: count.describe('Calls that wait for a decision'),
  edited: z
    .array(z.object({ seq: count, observation: z.string() }))
    .optional()
    .describe('Observations that a human wrote in place of what a tool returned, when the run was forked'),
  reason: z.object({ code: z.string(), detail: z.string() }).optional(),
  answer: z.string().optional().describe('Safe to be shown: no remote image, no active element'),
  result: Result.optional(),
});

const RunSummary = z.object({
  ...runFields,
  task: z.string().describe('Its beginning'),
  tokens: amount.describe('What it took; of a running one what it may take'),
  usd: amount,
  activeMs: amount.optional(),
  verdict: z.enum(['pass', 'revise', 'fail', 'unchecked']).optional().describe('Of the last report on its answer'),
});

export const RunPage: z.ZodType = z.object({ runs: z.array(RunSummary), next: z.string().optional() });

const ApprovalView = z.object({
  run: z.string(),
  agent: z.string(),
  task: z.string().describe('Its beginning'),
  call: z.string().describe('What approve and deny are sent to'),
  callId: z.string(),
  tool: z.string().optional(),
  args: z.unknown().optional(),
  canonicalArgs: z
    .string()
    .optional()
    .describe('The arguments as they will run, keys sorted, hidden characters written out'),
  why: z.string().optional().describe('Why a human is asked, with the source of untrusted text'),
  effect: z.enum(['read', 'write', 'irreversible']).optional(),
  sources: z
    .array(
      z.object({
        at: z.string().describe('Where in the arguments, such as `to[0]`'),
        text: z.string(),
        source: z.string().describe('Such as `obs-3 (readDoc)`'),
        observation: z.string().optional(),
      }),
    )
    .optional()
    .describe('Where untrusted parts of the arguments come from'),
  requested: instant.optional(),
});

export const ApprovalPage: z.ZodType = z.object({ approvals: z.array(ApprovalView) });

export const DecidedView: z.ZodType = z.object({ run: z.string(), call: z.string(), approved: z.boolean() });

export const EventView: z.ZodType = z
  .looseObject({
    id: z.string(),
    run: z.string(),
    path: z.string(),
    type: z.string(),
    at: z.number(),
    live: z.boolean(),
  })
  .describe('An event of the library; its other fields depend on the type');

export const LessonView: z.ZodType = z.looseObject({
  id: z.string(),
  scope: z.string(),
  trigger: z.string(),
  failurePattern: z.string(),
  lesson: z.string(),
  avoid: z.string(),
  status: z.string(),
  uses: count,
  wins: count,
  losses: count,
  source: z.string().describe('The run it came from'),
  created: z.number().describe('Milliseconds since the epoch'),
  expires: z.number(),
  conflicts: z.array(z.string()).describe('Ids of lessons that say the opposite'),
  evidence: z.array(z.object({ run: z.string(), says: z.enum(['supports', 'contradicts']) })),
});

export const LessonPage: z.ZodType = z.object({ lessons: z.array(LessonView) });
export const Health: z.ZodType = z.object({ status: z.enum(['ok', 'draining']) });

export const ProblemView: z.ZodType = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('What happened and why'),
    remedy: z.string(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .describe('RFC 9457');
