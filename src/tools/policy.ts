import type { Observation } from '../core/attempt.ts';
import type { Effect, Tool } from './tool.ts';

export type PolicyAction = 'allow' | 'ask' | 'deny';

/** What is done with a call of each effect: data, stored with the run, evaluated on canonical arguments. */
export type Policy = Record<Effect, PolicyAction>;

/** Reads run; everything with an effect asks a human (invariant 6). */
export const defaultPolicy: Policy = { read: 'allow', write: 'ask', irreversible: 'ask' };

export type PolicyDecision = { action: PolicyAction; why: string };

/** Shorter text is too likely to be shared by chance. */
const taintedLength = 12;

/** What the policy says of a call. Text from untrusted observations in the arguments of an effect turns `allow` into `ask`. */
export function decide(
  tool: Tool,
  args: unknown,
  context: { policy: Policy; observations: readonly Observation[] },
): PolicyDecision {
  const action = context.policy[tool.effect];
  if (tool.effect === 'read' || action !== 'allow')
    return { action, why: `the policy for '${tool.effect}' is ${action}` };
  const source = taintedBy(args, context.observations);
  if (!source) return { action, why: `the policy for '${tool.effect}' is ${action}` };
  return { action: 'ask', why: `an argument carries text from ${source.id}, which is untrusted` };
}

/** The untrusted observation whose text stands in the arguments, if any. */
function taintedBy(args: unknown, observations: readonly Observation[]): Observation | undefined {
  const texts = textsOf(args).filter((text) => text.length >= taintedLength);
  if (texts.length === 0) return undefined;
  return observations.find((seen) => seen.trust === 'untrusted' && texts.some((text) => shares(text, seen.content)));
}

/** Whether a window of the text stands in the content; half-overlapping windows find any copied run of twice the length. */
function shares(text: string, content: string): boolean {
  for (let at = 0; at + taintedLength <= text.length; at += taintedLength / 2) {
    if (content.includes(text.slice(at, at + taintedLength))) return true;
  }
  return false;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(textsOf);
}
