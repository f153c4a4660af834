/**
 * Control actions: what the model can do to the loop itself. Reducers over `TurnState`, applied to the recorded reply and never
 * inside a step, so that a replay repeats them for nothing.
 */
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import * as z from 'zod';
import { Final } from '../../core/attempt.ts';
import type { PlanStep } from '../../core/task.ts';
import type { TurnState } from '../../core/turn.ts';
import { prepareArguments } from '../../tools/arguments.ts';
import { functionSpec } from '../../tools/tool.ts';
import type { Run } from '../solver.ts';
import { fenced, planStatus } from './prompts.ts';

export const finalName = 'final';

const PlanUpdate: z.ZodType<{ id: string; status: PlanStep['status']; result?: string | undefined }> = z.object({
  id: z.string(),
  status: z.enum(['todo', 'doing', 'done', 'failed', 'skipped']),
  result: z.string().optional(),
});

const Reading: z.ZodType<{ id: string; from: number }> = z.object({
  id: z.string().describe('the number of the observation, such as obs-2'),
  from: z.number().int().min(0).describe('the first character to read'),
});

/** `Final` with nothing left to choose: what may be left out, a grammar spells out as one more way to write it. */
const WholeFinal: z.ZodType<Final> = z.object({
  answer: z.string(),
  claims: z.array(
    z.object({
      text: z.string(),
      evidence: z.array(z.object({ observation: z.string(), quote: z.string() })),
    }),
  ),
});

/** Made once, when first asked for: a JSON Schema takes a millisecond that the command line would feel at its start. */
let specs: Record<'final' | 'wholeFinal' | 'plan' | 'reading', LanguageModelV4FunctionTool> | undefined;

const aboutFinal =
  'Ends the task with the answer. Alone in its turn. Each claim quotes, word for word, the observations it rests on.';

function allSpecs(): NonNullable<typeof specs> {
  specs ??= {
    final: functionSpec(finalName, aboutFinal, Final),
    wholeFinal: functionSpec(finalName, aboutFinal, WholeFinal),
    plan: functionSpec('update_plan', 'Sets the status, and perhaps the result, of one plan step.', PlanUpdate),
    reading: functionSpec('readObservation', 'Reads more of an observation that was shown as an excerpt.', Reading),
  };
  return specs;
}

/** What the model may call beside the tools; fixed for an attempt, so that requests keep their prefix. */
export function controlSpecs({ planned, small }: { planned: boolean; small: boolean }): LanguageModelV4FunctionTool[] {
  const { final, wholeFinal, plan, reading } = allSpecs();
  const end = small ? wholeFinal : final;
  return planned ? [plan, reading, end] : [reading, end];
}

export interface Controlled {
  state: TurnState;
  text: string;
  fault: boolean;
}

/**
 * The state after a control action and its result for the model; undefined when the call is not one. `shown` gives the characters to show
 * at once of an observation.
 */
export function control(
  call: { tool: string; input: string },
  state: TurnState,
  run: Run,
  shown: () => number,
): Controlled | undefined {
  if (call.tool === 'update_plan' && state.plan) return updatePlan(call.input, state, run);
  if (call.tool === 'readObservation')
    return readObservation(call.input, state, { boundary: run.boundary, max: shown() });
  return undefined;
}

function updatePlan(input: string, state: TurnState, run: Run): Controlled {
  const plan = state.plan;
  const prepared = prepareArguments(input, PlanUpdate);
  if (!plan || !prepared.ok) return { state, text: prepared.ok ? 'There is no plan.' : prepared.message, fault: true };
  const update = PlanUpdate.parse(prepared.args);
  if (!plan.steps.some((step) => step.id === update.id)) {
    const ids = plan.steps.map((step) => step.id).join(', ');
    return { state, text: `No step is named '${update.id}'. Steps: ${ids}.`, fault: true };
  }
  const steps = plan.steps.map((step) => (step.id === update.id ? { ...step, ...update } : step));
  run.emit({ type: 'plan.updated', step: update.id, status: update.status });
  const changed = { ...plan, steps };
  return { state: { ...state, plan: changed }, text: planStatus(changed), fault: false };
}

function readObservation(input: string, state: TurnState, view: { boundary: string; max: number }): Controlled {
  const prepared = prepareArguments(input, Reading);
  if (!prepared.ok) return { state, text: prepared.message, fault: true };
  const { id, from } = Reading.parse(prepared.args);
  const seen = state.observations.find((observation) => observation.id === id);
  if (!seen) {
    const ids = state.observations.map((observation) => observation.id).join(', ') || 'none yet';
    return { state, text: `There is no observation '${id}'. Observations: ${ids}.`, fault: true };
  }
  if (from >= seen.content.length) {
    return { state, text: `${id} has ${seen.content.length} characters; nothing is at ${from}.`, fault: true };
  }
  return { state, text: fenced(seen, view.boundary, { from, max: view.max }), fault: false };
}
