import { resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { defaultPolicy, type Policy, type PolicyFunction, type PolicyOptions } from './policy.ts';
import type { ArgumentPattern, Rule } from './rules.ts';

/** The policy as data, with hosts in ASCII and paths absolute. Throws `UsageError` for one that cannot be evaluated. */
export function checkedPolicy(options?: PolicyOptions): Policy {
  if (!options) return defaultPolicy;
  const parsed = optionsSchema().safeParse(options);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`policy.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it cannot be read'}`);
  }
  const { rules = [], judge, ...rest } = options;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { ...defaultPolicy, ...given, rules: rules.map(checkedRule), judged: judge !== undefined };
}

function checkedRule(rule: Rule): Rule {
  if (rule.untrusted && rule.action !== 'allow') {
    throw new UsageError(`policy.rules: 'untrusted' only makes sense with the action allow, not ${rule.action}`);
  }
  return {
    ...rule,
    ...(rule.host !== undefined && { host: asciiHost(rule.host) }),
    ...(rule.path !== undefined && { path: resolve(rule.path) }),
  };
}

function asciiHost(host: string): string {
  const [, lead = '', name = ''] = /^(\*\.)?(.*)$/s.exec(host) ?? [];
  if (host === '*') return host;
  const ascii = /^\[.*\]$/.test(name) ? name.toLowerCase() : domainToASCII(name);
  if (ascii === '' || ascii.includes('*')) {
    throw new UsageError(
      `policy.rules: "${host}" is no host. Write a name without scheme, port and path, such as api.example.com, *.example.com or *`,
    );
  }
  return lead + ascii;
}

/** Made when a policy is given: most agents have none, and it takes longer to make than the rest of this folder. */
function optionsSchema(): z.ZodType {
  const pattern: z.ZodType<ArgumentPattern> = z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.strictObject({ min: z.number().optional(), max: z.number().optional() }),
  ]);

  const rule: z.ZodType<Rule> = z.strictObject({
    action: z.enum(['allow', 'ask', 'deny']),
    tool: z.string().min(1).optional(),
    effect: z.enum(['read', 'write', 'irreversible']).optional(),
    args: z.record(z.string(), pattern).optional(),
    host: z.string().min(1).optional(),
    path: z.string().min(1).optional(),
    untrusted: z.literal('allow').optional(),
    why: z.string().optional(),
  });

  const action = z.enum(['allow', 'ask', 'deny']);
  return z.strictObject({
    read: action.optional(),
    write: action.optional(),
    irreversible: action.optional(),
    rules: z.array(rule).optional(),
    planLock: z.boolean().optional(),
    judge: z.custom<PolicyFunction>((value) => typeof value === 'function', 'judge must be a function').optional(),
  });
}
