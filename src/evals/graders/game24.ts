import { computeExpression } from '../../tools/builtin/calculator/evaluate.ts';
import type { Grader } from '../grader.ts';
import { misfit } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';

const goal = 24;
/** In one line, in characters; the calculator reads no more. */
const longest = 2_000;
const signs: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['⋅', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['–', '-'],
  ['[', '('],
  [']', ')'],
]);

/**
 * Game of 24 (Yao et al. 2023, section 4.1): the last line's expression uses each of the four numbers of the task once, with + - * /
 * and brackets, and is exactly 24. The numbers are the last four whole numbers of the input.
 */
export function game24(): Grader {
  return {
    name: 'game24',
    knows: 'rules',
    reads: 'answer',
    config: {},
    grade({ task, answer }) {
      const numbers = task.input.match(/\d+/g)?.slice(-4) ?? [];
      if (numbers.length < 4) throw misfit(task, 'game24', 'an input that names four whole numbers');
      if (task.expected !== undefined && task.expected !== goal) throw misfit(task, 'game24', '24, or nothing');
      const expected = `24 out of ${numbers.join(' ')}`;
      if (isBlank(answer)) return unanswered(expected);
      const expression = expressionIn(answer);
      if (expression === undefined) return gradeOf(false, `no expression in the last line; expected ${expected}`);
      const fault = faultOf(expression, numbers);
      return gradeOf(fault === undefined, `${shown(expression)} ${fault ?? `is ${goal}`}; expected ${expected}`);
    },
  };
}

function faultOf(expression: string, numbers: readonly string[]): string | undefined {
  if (sorted(expression.match(/\d+/g) ?? []) !== sorted(numbers)) return 'does not use each number once';
  const computed = computeExpression(expression);
  if (!computed.ok) return `cannot be computed: ${computed.message}`;
  const { n, d } = computed.value;
  const value = d === 1n ? `${n}` : `${n}/${d}`;
  return value === String(goal) ? undefined : `is ${value}`;
}

/** Of the last line that is not blank, what stands at one side of its equals sign and computes something. */
function expressionIn(answer: string): string | undefined {
  const last = answer.trimEnd().split('\n').at(-1) ?? '';
  if (last.length > longest) return undefined;
  const plain = last
    .replace(/\\(?:times|cdot)\b/g, '*')
    .replace(/\\div\b/g, '/')
    .replace(/\\(?:left|right|boxed)\b|\*\*|[`$]/g, '')
    .replace(/[×⋅·÷−–[\]]/g, (sign) => signs.get(sign) ?? sign)
    .replace(/^.*answer\s*(?:is)?\s*:?/i, '');
  const sides = plain.split('=').map((side) => side.replace(/^[\s{]+|[\s.}]+$/g, ''));
  return sides.find((side) => /^[\d+\-*/() ]+$/.test(side) && /\d\D*[-+*/]\D*\d/.test(side));
}

function sorted(numbers: readonly string[]): string {
  return numbers
    .map(Number)
    .toSorted((a, b) => a - b)
    .join(' ');
}
