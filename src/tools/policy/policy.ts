/**
 * Whether a call may run, must be asked for, or is denied (invariant 6).
 *
 * 1. Rules are data: they are stored with the run and evaluated on canonical arguments. The first that fits decides; else the tier.
 * 2. An effect that carries text from untrusted results asks, whatever tier or rule allow it, unless the rule says `untrusted: 'allow'`.
 * 3. At run time the policy of the process is asked too, and the stricter word holds: a run that is resumed under a stricter
 *    policy asks again, and one that is resumed under a laxer one undoes nothing.
 * 4. What cannot be undone also asks when, after untrusted results, a part of it is not clearly the user's own word.
 */
import { messageOf } from '../../core/errors.ts';
import type { TaintedText } from '../../core/turn.ts';
import type { Effect, Tool, Touched } from '../tool.ts';
import { firstRule, type PolicyAction, type Rule, ruleText } from './rules.ts';
import { leakOf, type Provenance, taintsOf, unvouchedOf } from './taint.ts';
import { schemaWords, touchedBy } from './touched.ts';

/** Data, stored with the run. */
export interface Policy extends Record<Effect, PolicyAction> {
  rules: Rule[];
  /** Where a planner is used, tools with effects that the plan did not name before anything untrusted was read are denied. */
  planLock: boolean;
  /** A function was asked as well; a process without one cannot go on with the run. */
  judged: boolean;
}

/** What a policy function is given. */
export interface JudgedCall {
  tool: string;
  effect: Effect;
  args: unknown;
  touched: Required<Touched>;
}

/** The user's own code. Its word holds when it is stricter than rules and tiers; one that throws denies. */
export type PolicyFunction = (call: JudgedCall) => PolicyAction | Promise<PolicyAction>;

/** Merged over the defaults: read allowed, write and irreversible ask, no rules, plan lock on. */
export interface PolicyOptions extends Partial<Record<Effect, PolicyAction>> {
  rules?: readonly Rule[];
  planLock?: boolean;
  judge?: PolicyFunction;
}

export interface PolicyDecision {
  action: PolicyAction;
  why: string;
  /** The untrusted texts for which it asks. */
  sources?: TaintedText[];
}

/** Reads run; everything with an effect asks a human. */
export const defaultPolicy: Policy = {
  read: 'allow',
  write: 'ask',
  irreversible: 'ask',
  rules: [],
  planLock: true,
  judged: false,
};

/** What the data of a policy says of a call, its texts included. Pure, so that a replay decides the same. */
export function decide(
  tool: Tool,
  args: unknown,
  context: { policy: Policy; provenance: Omit<Provenance, 'words'> },
): PolicyDecision {
  const { decision, rule } = byRules(tool, args, context.policy);
  if (decision.action === 'deny' || rule?.untrusted === 'allow') return decision;
  const provenance = { ...context.provenance, words: schemaWords(tool) };
  if (tool.effect === 'read') {
    const leak = leakOf(args, provenance);
    return leak ? asked(decision, `the address in '${leak.at}' carries ${taintText(leak)}`, [leak]) : decision;
  }
  const taints = taintsOf(args, provenance);
  const [taint] = taints;
  if (taint) return asked(decision, `'${taint.at}' carries ${taintText(taint)}, which is untrusted`, taints);
  const unvouched = tool.effect === 'irreversible' ? unvouchedOf(args, provenance) : undefined;
  if (!unvouched) return decision;
  const value = JSON.stringify(unvouched.text.slice(0, 80));
  return asked(decision, `it cannot be undone, and '${unvouched.at}' (${value}) is not clearly the user's own word`);
}

/** What rules and tiers say of a call. */
function byRules(tool: Tool, args: unknown, policy: Policy): { decision: PolicyDecision; rule?: Rule } {
  if (policy.rules.length > 0) {
    const rule = firstRule(policy.rules, { tool, args, touched: touchedBy(tool, args) });
    if (rule) return { decision: { action: rule.action, why: ruleText(rule) }, rule };
  }
  const action = policy[tool.effect];
  return { decision: { action, why: `the policy for '${tool.effect}' is ${action}` } };
}

function asked(decision: PolicyDecision, why: string, sources?: TaintedText[]): PolicyDecision {
  const said = decision.action === 'ask' ? `${decision.why}; ${why}` : why;
  return { action: 'ask', why: said, ...(sources && { sources }) };
}

function taintText({ source, text }: TaintedText): string {
  return `text from ${source}: ${JSON.stringify(text)}`;
}

/** Asked inside the step that runs a call, with the policy of this process. */
export type Permit = (tool: Tool, args: unknown) => PolicyDecision | Promise<PolicyDecision>;

/** The policy of this process as the executor asks it; the rules the run began with were asked before. */
export function permitOf(policy: Policy, judge: PolicyFunction | undefined): Permit {
  return (tool, args) => {
    const { decision } = byRules(tool, args, policy);
    if (!judge || decision.action === 'deny') return decision;
    return judged(judge, { tool, args, decision });
  };
}

const strictness: Record<PolicyAction, number> = { allow: 0, ask: 1, deny: 2 };

async function judged(
  judge: PolicyFunction,
  call: { tool: Tool; args: unknown; decision: PolicyDecision },
): Promise<PolicyDecision> {
  const { tool, args, decision } = call;
  try {
    const action = await judge({ tool: tool.name, effect: tool.effect, args, touched: touchedBy(tool, args) });
    if (!(action in strictness)) return { action: 'deny', why: `the policy function said ${JSON.stringify(action)}` };
    if (strictness[action] <= strictness[decision.action]) return decision;
    return { action, why: `the policy function says ${action}` };
  } catch (error) {
    return { action: 'deny', why: `the policy function failed: ${messageOf(error)}` };
  }
}
