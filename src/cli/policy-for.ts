import type { PolicyOptions } from '../tools/policy/policy.ts';
import type { PolicyAction } from '../tools/policy/rules.ts';
import type { Settings } from './settings.ts';

/** Up to which effect `--yes` allows. What a config file denies stays denied. */
export function policyFor(allow: Settings['allow'], configured: PolicyOptions = {}): PolicyOptions {
  if (allow === undefined) return configured;
  const chosen: Record<'write' | 'irreversible', PolicyAction> = {
    write: allow === 'read' ? 'ask' : 'allow',
    irreversible: allow === 'all' ? 'allow' : 'ask',
  };
  const { write, irreversible } = configured;
  return {
    ...configured,
    write: write === 'deny' ? write : chosen.write,
    irreversible: irreversible === 'deny' ? irreversible : chosen.irreversible,
  };
}
