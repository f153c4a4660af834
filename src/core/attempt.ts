import * as z from 'zod';
import type { Plan } from './task.ts';
import type { TurnState } from './turn.ts';

/** One sentence of the answer and the observations that carry it. */
export interface Claim {
  text: string;
  /** `quote` stands word for word in the observation it names. */
  evidence: { observation: string; quote: string }[];
}

export const Claim: z.ZodType<Claim> = z.object({
  text: z.string(),
  evidence: z.array(z.object({ observation: z.string(), quote: z.string() })).default([]),
});

/** The only thing that ends a loop: an explicit answer with its claims. */
export interface Final {
  answer: string;
  claims: Claim[];
}

export const Final: z.ZodType<Final> = z.object({
  answer: z.string().refine((text) => text.trim() !== '', 'the answer is empty'),
  claims: z.array(Claim).default([]),
});

/**
 * What a tool returned, written by the program and never by the model. Numbered in call order within one attempt;
 * (`path`, `id`) is unique within a run. `content` is the whole normalised text; a prompt may show an excerpt of it.
 */
export interface Observation {
  id: `obs-${number}`;
  path: string;
  tool: string;
  args: unknown;
  status: 'ok' | 'error' | 'denied' | 'timeout' | 'unknown-outcome';
  content: string;
  trust: 'trusted' | 'untrusted';
}

/** A concrete fault of an answer and what would mend it. */
export interface Issue {
  type:
    | 'unsupported_claim'
    | 'missed_constraint'
    | 'contradiction'
    | 'incomplete'
    | 'wrong_computation'
    | 'failed_check';
  detail: string;
  requiredAction: string;
  claim?: string | undefined;
}

export const Issue: z.ZodType<Issue> = z.object({
  type: z.enum([
    'unsupported_claim',
    'missed_constraint',
    'contradiction',
    'incomplete',
    'wrong_computation',
    'failed_check',
  ]),
  detail: z.string().min(1),
  requiredAction: z.string().min(1),
  claim: z.string().optional(),
});

/** What a judge knows that the actor does not; `self` is nothing (invariant 10). */
export type Knowledge = 'tests' | 'rules' | 'schema' | 'reference' | 'another-model' | 'self';

/** A verdict on an attempt. `unchecked`: the verifier could not be asked (limit, error), which is not the answer's fault. */
export interface Report {
  /** `checks` for code, `verifier:<model>` for a model, `evaluator:<name>` for an outside judge. */
  by: string;
  knows: Knowledge;
  verdict: 'pass' | 'revise' | 'fail' | 'unchecked';
  issues: Issue[];
  needsMoreTools: boolean;
}

/** What a repaired or reflected attempt learned; the lessons layer decides whether it is kept. */
export interface LessonDraft {
  /** The situation in which the lesson applies, in words a later task would use. */
  trigger: string;
  failurePattern: string;
  /** What to do instead: an executable action. */
  lesson: string;
  avoid: string;
}

export const LessonDraft: z.ZodType<LessonDraft> = z.object({
  trigger: z.string(),
  failurePattern: z.string(),
  lesson: z.string(),
  avoid: z.string(),
});

/** The names of the limits that can end an attempt. */
export type LimitName =
  | 'modelCalls'
  | 'toolCalls'
  | 'tokens'
  | 'usd'
  | 'ms'
  | 'steps'
  | 'no-progress'
  | 'context'
  | 'interrupted';

export type FaultName =
  | 'too-many-faults'
  | 'model-error'
  | 'empty-response'
  | 'refused'
  | 'truncated'
  | 'invalid-answer'
  | 'invalid-plan';

/** How an attempt ended. */
export type Ending =
  | { type: 'final' }
  | { type: 'limit'; limit: LimitName; detail: string }
  | { type: 'fault'; fault: FaultName; detail: string };

/** One whole try at the task: what it answered, on what evidence, how it was judged, and how it ended. */
export interface Attempt {
  answer?: string | undefined;
  claims: Claim[];
  observations: Observation[];
  plan?: Plan | undefined;
  reports: Report[];
  drafts: LessonDraft[];
  ended: Ending;
  /** A layer tried nothing more and says why; `ended` still tells how this attempt itself ended. */
  stopped?: { layer: string; why: string } | undefined;
  /** The answer was forced out of the kept slice of the budget; never a success. */
  degraded: boolean;
  revisions: number;
  /** Where the loop stood. A later layer hands it back in `Brief.revise`, and the same transcript goes on. */
  state?: TurnState | undefined;
}
