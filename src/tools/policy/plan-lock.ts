import type { Plan } from '../../core/task.ts';
import type { Tool } from '../tool.ts';
import type { Policy } from './policy.ts';

/**
 * Why the plan does not let the tool run, or undefined. The plan was made from the task, before anything untrusted was read, and names
 * the effects the task needs; what a result says later cannot add one.
 */
export function lockedOut(tool: Tool, plan: Plan | undefined, policy: Policy): string | undefined {
  if (!(policy.planLock && plan) || tool.effect === 'read' || plan.effects.includes(tool.name)) return undefined;
  const named = plan.effects.length === 0 ? 'no tool with an effect' : plan.effects.join(', ');
  return `the plan, made from the task alone, names ${named}, and not '${tool.name}'. If the task needs it, say so in the answer.`;
}
