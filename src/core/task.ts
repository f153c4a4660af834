import * as z from 'zod';
import type { JsonSchema } from './json.ts';

/**
 * What the user asked, as plain JSON: a run is started, resumed and forked from it, so checks are named and schemas are
 * JSON Schema, never functions.
 */
export interface Task {
  input: string;
  /** Conditions the answer must meet, in the user's words. */
  constraints: string[];
  /** When set, the answer is the text of one JSON value that fits it. */
  outputSchema?: JsonSchema | undefined;
  /** Names of checks registered with the agent, run in addition to the configured ones. */
  checks: string[];
}

export const Task: z.ZodType<Task> = z.object({
  input: z.string().refine((text) => text.trim() !== '', 'the task is empty: say what the agent should do'),
  constraints: z.array(z.string()).default([]),
  outputSchema: z.record(z.string(), z.json()).optional(),
  checks: z.array(z.string()).default([]),
});

/** One step of a plan with the condition under which it counts as done (Plan-and-Solve, Wang et al. 2023, section 2). */
export interface PlanStep {
  id: string;
  objective: string;
  /** A step that does not say so claims nothing. */
  needsExternalInfo: boolean;
  successCondition: string;
  status: 'todo' | 'doing' | 'done' | 'failed' | 'skipped';
  result?: string | undefined;
}

export const PlanStep: z.ZodType<PlanStep> = z.object({
  id: z.string().min(1),
  objective: z.string().min(1),
  needsExternalInfo: z.boolean().default(false),
  successCondition: z.string().default(''),
  status: z.enum(['todo', 'doing', 'done', 'failed', 'skipped']).default('todo'),
  result: z.string().optional(),
});

/** A plan is state, not prose: the goal, the constraints it must keep, and its steps. */
export interface Plan {
  goal: string;
  constraints: string[];
  /** Quantities given in the task, extracted before solving (PS+, section 2.2). */
  givens: { name: string; value: string }[];
  steps: PlanStep[];
  /** The tools with effects that the task itself asks for, named before anything untrusted was read. */
  effects: string[];
}

export const Plan: z.ZodType<Plan> = z.object({
  goal: z.string().min(1),
  constraints: z.array(z.string()).default([]),
  givens: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  steps: z.array(PlanStep).min(1),
  effects: z.array(z.string()).default([]),
});
