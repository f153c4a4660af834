import type { RunEvent } from '../api/shapes.ts';

type MadePlan = Extract<RunEvent, { type: 'plan.made' }>['plan'];

/** The latest plan of the run with the state of its steps, as the events tell them. */
export function planOf(events: readonly RunEvent[]): MadePlan | undefined {
  let plan: MadePlan | undefined;
  for (const event of events) {
    if (event.type === 'plan.made') plan = event.plan;
    else if (event.type === 'plan.updated' && plan) plan = withStatus(plan, event);
  }
  return plan;
}

function withStatus(plan: MadePlan, { step, status }: Extract<RunEvent, { type: 'plan.updated' }>): MadePlan {
  return { ...plan, steps: plan.steps.map((one) => (one.id === step ? { ...one, status } : one)) };
}
