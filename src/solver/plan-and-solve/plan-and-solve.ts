import type { Attempt } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { UsageError } from '../../core/errors.ts';
import { Plan } from '../../core/task.ts';
import { type Asked, ask } from '../../model/ask.ts';
import { resolveToolName } from '../../tools/names.ts';
import { dateOf } from '../react/take-turn.ts';
import { rulesFor } from '../rules.ts';
import type { Layer, Run } from '../solver.ts';
import { eachStep } from './each-step.ts';
import { compressPrompt, type PlanOrder, plannerPrompt, plannerRules } from './prompts.ts';

export interface PlanOptions {
  /** `whole`: the loop gets the plan and ticks it off. `each-step`: one attempt a step, then a composed answer. Default `whole`. */
  mode?: 'whole' | 'each-step';
  /**
   * `as-needed`: as the planner sees fit. `least-to-most`: sub-questions from the easiest to the hardest, each asked with all earlier
   * answers (Zhou et al. 2022); with `each-step` only. Default `as-needed`.
   */
  order?: PlanOrder;
  /** A longer plan is sent back once for compression, then it is an error. Default 8. */
  maxSteps?: number;
  /** How often `each-step` may plan again after a step without a result. Default 2. */
  maxReplans?: number;
}

/**
 * A plan as state (Plan-and-Solve, Wang et al. 2023), handed to the inner solver or executed step by step.
 * `brief.revise`: does not plan again, passes it on; the plan is in the attempt's state. Throws `UsageError` for an order that the mode
 * cannot keep.
 */
export function planAndSolve(options: PlanOptions = {}): Layer {
  const { mode = 'whole', order = 'as-needed' } = options;
  if (order === 'least-to-most' && mode !== 'each-step')
    throw new UsageError("order 'least-to-most' asks one question after the other: it needs mode 'each-step'");
  const config = {
    mode,
    order,
    maxSteps: options.maxSteps ?? 8,
    maxReplans: options.maxReplans ?? 2,
  };
  return {
    name: 'plan',
    config,
    place: 'planning',
    wrap: (inner) => async (brief, run) => {
      if (brief.revise) return inner(brief, run);
      const made = await makePlan(brief, run, config);
      if (made.type === 'invalid') return unplanned(brief, made.why);
      if (made.type === 'unasked') {
        run.emit({ type: 'plan.failed', why: made.why });
        return inner(
          { ...brief, notes: [...brief.notes, { from: 'advice', text: 'No plan could be made; go step by step.' }] },
          run,
        );
      }
      run.emit({ type: 'plan.made', plan: made.plan });
      if (config.mode === 'whole') return inner({ ...brief, plan: made.plan }, run);
      return eachStep(made.plan, { inner, brief, run, config });
    },
  };
}

type Planned = { type: 'plan'; plan: Plan } | { type: 'unasked'; why: string } | { type: 'invalid'; why: string };

async function makePlan(brief: Brief, run: Run, config: { maxSteps: number; order: PlanOrder }): Promise<Planned> {
  const { maxSteps, order } = config;
  const system = rulesFor(run, 'planner', plannerRules(maxSteps, order));
  const prompt = plannerPrompt(brief, { date: dateOf(run.durable.now()), tools: run.tools });
  const first = await askPlan(run, system, prompt);
  if (!first.ok) return unusable(first);
  if (first.value.steps.length <= maxSteps) return { type: 'plan', plan: fresh(first.value, run.tools) };
  const second = await askPlan(run, system, compressPrompt(prompt, first.value, maxSteps));
  if (!second.ok) return unusable(second);
  if (second.value.steps.length <= maxSteps) return { type: 'plan', plan: fresh(second.value, run.tools) };
  const why = `the plan still has ${second.value.steps.length} steps after one compression; at most ${maxSteps} are allowed`;
  run.emit({ type: 'plan.failed', why });
  return { type: 'invalid', why };
}

function askPlan(run: Run, system: string, prompt: string): Promise<Asked<Plan>> {
  return ask(run, { step: 'plan', role: 'planner', system, prompt, schema: Plan });
}

function unusable(asked: Extract<Asked<Plan>, { ok: false }>): Planned {
  return asked.why === 'invalid' ? { type: 'invalid', why: asked.detail } : { type: 'unasked', why: asked.detail };
}

/** A new plan has nothing done yet, whatever the model wrote, ids that are unique, and names of effects as the tools have them. */
function fresh(plan: Plan, tools: Run['tools']): Plan {
  const unique = new Set(plan.steps.map((step) => step.id)).size === plan.steps.length;
  const steps = plan.steps.map((step, index) => ({
    ...step,
    id: unique ? step.id : `s${index + 1}`,
    status: 'todo' as const,
    result: undefined,
  }));
  const names = [...tools.keys()];
  const effects = plan.effects.flatMap((written) => {
    const named = resolveToolName(written, names);
    return named.ok ? named.name : [];
  });
  return { ...plan, steps, effects };
}

function unplanned(brief: Brief, why: string): Attempt {
  return {
    claims: [],
    observations: brief.evidence,
    reports: [],
    drafts: [],
    ended: { type: 'fault', fault: 'invalid-plan', detail: why },
    degraded: false,
    revisions: 0,
  };
}
