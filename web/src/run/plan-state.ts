import type { RunEvent } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import type { Tone } from '../parts/badge.tsx';

type MadePlan = Extract<RunEvent, { type: 'plan.made' }>['plan'];

/** How the state of a step is marked. */
export const stepStates: Readonly<Record<MadePlan['steps'][number]['status'], [Tone, keyof Texts]>> = {
  todo: ['plain', 'stepPending'],
  doing: ['active', 'stepActive'],
  done: ['good', 'stepDone'],
  failed: ['bad', 'stepFailed'],
  skipped: ['plain', 'stepSkipped'],
};

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
