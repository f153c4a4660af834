import * as z from 'zod';
import { UsageError } from '../../../core/errors.ts';
import { type Tool, tool } from '../../tool.ts';
import { evaluateExpression } from './evaluate.ts';

const description = `Computes an arithmetic expression exactly, for example (1,250.50 - 99) * 12 or 15% of 80.
Operators: + - * / ^ (right to left; -2^2 = -4; 0^0 = 1), mod (17 mod 5 = 2), factorial ! up to 170!, parentheses.
Percent: 15% = 0.15; 15% of 80 = 12; 200 + 10% = 220 and 200 - 10% = 180; 200 + (10%) = 200.1. % is never a remainder.
Functions: sqrt, abs, round(x, decimals), floor, ceil, min, max, sum, avg, mod(a, b), ln, log10, exp. Constants: pi, e.
round rounds halves away from zero; mod has the sign of the divisor. In a call a comma separates arguments: max(1200, 3).
Write numbers only: no units, currency signs, variables or =. Exact results are given in full, others to 20 significant digits.`;

const input = z.object({
  expression: z.string().min(1).describe('One arithmetic expression, for example 37 * 129'),
});

/** The calculator tool: exact arithmetic by a small grammar of its own, nothing is ever executed. */
export function calculator(): Tool {
  return tool({
    name: 'calculator',
    description,
    input,
    effect: 'read',
    trust: 'trusted',
    idempotent: true,
    timeoutMs: 5_000,
    run: ({ expression }) => calculation(expression),
  });
}

/** `37 * 129 = 4773`. Throws `UsageError` when the expression has no value. */
function calculation(expression: string): string {
  const result = evaluateExpression(expression);
  if (!result.ok) throw new UsageError(`cannot compute this expression: ${result.message}`);
  const asked = expression.trim().replace(/\s+/g, ' ');
  return `${asked} = ${result.value}${result.exact ? '' : ' (rounded to 20 significant digits)'}`;
}
