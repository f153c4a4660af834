/**
 * Plan-and-execute: one inner attempt a step; every step's prompt carries the whole plan and all finished results. A step without
 * a result makes a new plan for the rest, a bounded number of times. The answer is composed from the results and the evidence.
 */
import { type Attempt, Final } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { Plan, type PlanStep } from '../../core/task.ts';
import { type Asked, ask } from '../../model/ask.ts';
import { endingOf } from '../direct.ts';
import { sourceView } from '../react/context-room.ts';
import { dateOf } from '../react/take-turn.ts';
import { rulesFor } from '../rules.ts';
import type { Run, Solver } from '../solver.ts';
import { composePrompt, composeRules, type PlanOrder, plannerPrompt, plannerRules, replanPrompt } from './prompts.ts';

interface Context {
  inner: Solver;
  brief: Brief;
  run: Run;
  config: { maxSteps: number; maxReplans: number; order: PlanOrder };
}

interface Progress {
  plan: Plan;
  evidence: Attempt['observations'];
  last?: Attempt;
  replans: number;
}

export async function eachStep(made: Plan, context: Context): Promise<Attempt> {
  let progress: Progress = { plan: made, evidence: context.brief.evidence, replans: 0 };
  for (let index = 0; ; index++) {
    const position = progress.plan.steps.findIndex((step) => step.status === 'todo');
    const step = progress.plan.steps[position];
    if (!step) break;
    // The index, not the model's step id, is in the journal key.
    progress = await doStep(step, progress, { ...context, run: context.run.scope(`step-${index + 1}`) });
    if (progress.last?.ended.type === 'limit') break;
    if (progress.last?.answer === undefined && progress.replans < context.config.maxReplans) {
      progress = await replan(progress, step, context);
    }
  }
  return compose(progress, context);
}

async function doStep(step: PlanStep, progress: Progress, context: Context): Promise<Progress> {
  const { brief, run, inner, config } = context;
  run.emit({ type: 'step.start', step: step.id, objective: step.objective });
  const results = progress.plan.steps.flatMap((done) =>
    done.result ? [{ from: 'step-result' as const, text: resultText(done, config.order) }] : [],
  );
  const last = await inner(
    {
      ...brief,
      objective: `${step.id}: ${step.objective}${step.successCondition ? ` (done when: ${step.successCondition})` : ''}`,
      notes: [...brief.notes, ...results],
      evidence: progress.evidence,
      plan: progress.plan,
    },
    run,
  );
  const done = last.answer !== undefined && !last.degraded;
  const status = done ? ('done' as const) : ('failed' as const);
  run.emit({ type: 'plan.updated', step: step.id, status });
  // Not by id: a model may name its steps as a new plan does.
  const steps = progress.plan.steps.map((other) => (other === step ? { ...step, status, result: last.answer } : other));
  return { ...progress, plan: { ...progress.plan, steps }, evidence: last.observations, last };
}

/** From least to most a question is answered by the earlier answers, so that they are shown with their questions. */
function resultText({ id, objective, result }: PlanStep, order: PlanOrder): string {
  return order === 'least-to-most' ? `Question: ${objective} Answer: ${result}` : `${id}: ${result}`;
}

/** The finished steps stay; the open ones are replaced by what the planner thinks of now. */
async function replan(progress: Progress, failed: PlanStep, context: Context): Promise<Progress> {
  const { brief, run, config } = context;
  const why = progress.last?.ended.type === 'fault' ? progress.last.ended.detail : 'it ended without an answer';
  const prompt = replanPrompt(
    plannerPrompt(brief, { date: dateOf(run.durable.now()), tools: run.tools }),
    progress.plan,
    { step: failed.id, why },
  );
  const asked = await ask(run, {
    step: 'replan',
    role: 'planner',
    system: rulesFor(run, 'planner', plannerRules(config.maxSteps, config.order)),
    prompt,
    schema: Plan,
  });
  const replans = progress.replans + 1;
  if (!asked.ok) return { ...progress, replans };
  const kept = progress.plan.steps
    .filter((step) => step.status !== 'todo')
    .map((step) =>
      step.id === failed.id && step.status === 'failed' ? { ...step, status: 'skipped' as const } : step,
    );
  const fresh = asked.value.steps.slice(0, config.maxSteps).map((step, index) => ({
    ...step,
    id: `r${replans}-${index + 1}`,
    status: 'todo' as const,
    result: undefined,
  }));
  const plan = { ...progress.plan, steps: [...kept, ...fresh] };
  run.emit({ type: 'plan.made', plan });
  return { ...progress, plan, replans };
}

async function compose(progress: Progress, context: Context): Promise<Attempt> {
  const { brief, run } = context;
  const { plan, evidence, last } = progress;
  const askFor = (lastAnswer: boolean): Promise<Asked<Final>> =>
    ask(run, {
      step: 'compose',
      role: 'actor',
      system: composeRules,
      prompt: composePrompt(brief, plan, { evidence, ...sourceView(run, 'actor', evidence.length) }),
      schema: Final,
      lastAnswer,
    });
  let limit = last?.ended.type === 'limit' ? last.ended : undefined;
  let asked = await askFor(limit !== undefined);
  if (!(asked.ok || limit) && asked.why === 'limit') {
    limit = { type: 'limit', limit: asked.limit, detail: asked.detail };
    asked = await askFor(true);
  }
  const cut = limit !== undefined;
  const failed = plan.steps.some((step) => step.status === 'failed');
  const final = asked.ok ? asked.value : cut ? lastResult(last) : undefined;
  if (final) {
    const { answer, claims } = final;
    run.emit({ type: 'answer.drafted', answer: answer, claims: claims.length, degraded: cut });
  }
  return {
    answer: final?.answer,
    claims: final?.claims ?? [],
    observations: evidence,
    plan,
    reports: [],
    drafts: last?.drafts ?? [],
    ended: asked.ok ? (limit ?? { type: 'final' }) : endingOf(asked),
    degraded: cut,
    revisions: 0,
    ...(failed && !cut && { stopped: { layer: 'plan', why: 'a step of the plan brought no result' } }),
  };
}

/** Where nothing is left to pay for a composed answer, the last step's own one is kept: nothing found is lost. */
function lastResult(last: Attempt | undefined): Final | undefined {
  return last?.answer === undefined ? undefined : { answer: last.answer, claims: last.claims };
}
