import { describe, expect, it } from 'vitest';
import { eventOf } from '../testing/event-of.ts';
import { planOf } from './plan-state.ts';

const made = (...ids: string[]) =>
  eventOf('', {
    type: 'plan.made',
    plan: { goal: 'g', steps: ids.map((id) => ({ id, objective: id, status: 'todo' })) },
  });
const states = (...events: Parameters<typeof planOf>[0]): unknown =>
  planOf(events)?.steps.map(({ id, status }) => `${id} ${status}`);

describe('the plan as the events tell it', () => {
  it('has the latest state of each step', () => {
    const done = eventOf('', { type: 'plan.updated', step: 'a', status: 'done' });
    const doing = eventOf('', { type: 'plan.updated', step: 'b', status: 'doing' });
    expect(states(made('a', 'b'), done, doing)).toEqual(['a done', 'b doing']);
  });

  it('begins anew with a new plan', () => {
    const done = eventOf('', { type: 'plan.updated', step: 'a', status: 'done' });
    expect(states(made('a'), done, made('a', 'c'))).toEqual(['a todo', 'c todo']);
  });

  it('is none before one was made', () => {
    expect(states(eventOf('', { type: 'plan.updated', step: 'a', status: 'done' }))).toBeUndefined();
  });
});
