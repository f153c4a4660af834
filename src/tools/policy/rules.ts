import type { Effect, Tool, Touched } from '../tool.ts';
import { matchesHost, matchesPath, matchesText } from './glob.ts';

export type PolicyAction = 'allow' | 'ask' | 'deny';

/** What an argument must be: a text with `*` and `?`, another JSON scalar, or a number within bounds. */
export type ArgumentPattern = string | number | boolean | null | { min?: number | undefined; max?: number | undefined };

/**
 * One line of the policy: what is done with the calls it fits. All conditions that are set have to hold. Of several hosts or paths that
 * a call reaches, `allow` must cover every one and `ask` and `deny` any.
 */
export interface Rule {
  action: PolicyAction;
  /** The tool's name, with `*` and `?`. */
  tool?: string | undefined;
  effect?: Effect | undefined;
  /** Conditions on canonical arguments by their place: `amount`, `to[0]`, `options.force`. */
  args?: Record<string, ArgumentPattern> | undefined;
  /** A host the call reaches: `api.example.com`, `*.example.com` or `*`. */
  host?: string | undefined;
  /** A file or folder the call reaches, with all below it; `*` and `**` as in shells. Relative ones start at the working directory. */
  path?: string | undefined;
  /** With `allow`: also calls whose arguments carry text of untrusted results. */
  untrusted?: 'allow' | undefined;
  /** Told to the model and to the human. */
  why?: string | undefined;
}

/** A call as rules see it. */
export interface RuledCall {
  tool: Tool;
  args: unknown;
  touched: Required<Touched>;
}

/** The first rule that fits the call. */
export function firstRule(rules: readonly Rule[], call: RuledCall): Rule | undefined {
  return rules.find((rule) => fits(rule, call));
}

function fits(rule: Rule, { tool, args, touched }: RuledCall): boolean {
  const { host, path } = rule;
  if (rule.tool !== undefined && !matchesText(rule.tool, tool.name)) return false;
  if (rule.effect !== undefined && rule.effect !== tool.effect) return false;
  if (host !== undefined && !covers(rule, touched.hosts, (reached) => matchesHost(host, reached))) return false;
  if (path !== undefined && !covers(rule, touched.paths, (reached) => matchesPath(path, reached))) return false;
  return Object.entries(rule.args ?? {}).every(([at, pattern]) => fitsArgument(pattern, memberOf(args, at)));
}

function covers(rule: Rule, reached: readonly string[], matches: (one: string) => boolean): boolean {
  if (reached.length === 0) return false;
  return rule.action === 'allow' ? reached.every(matches) : reached.some(matches);
}

function fitsArgument(pattern: ArgumentPattern, value: unknown): boolean {
  if (typeof pattern === 'string') return typeof value === 'string' && matchesText(pattern, value);
  if (typeof pattern !== 'object' || pattern === null) return value === pattern;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = pattern;
  return typeof value === 'number' && value >= min && value <= max;
}

/** The member at a place such as `to[0].address`; undefined where there is none. */
function memberOf(value: unknown, at: string): unknown {
  let inner = value;
  for (const key of at.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
    inner = Reflect.get(inner, key);
  }
  return inner;
}

/** The rule in a few words. */
export function ruleText(rule: Rule): string {
  if (rule.why) return rule.why;
  const { action, ...conditions } = rule;
  const parts = Object.entries(conditions).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return `a rule of the policy says ${action}${parts.length === 0 ? '' : ` for ${parts.join(', ')}`}`;
}
