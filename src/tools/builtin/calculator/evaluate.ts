import { formatRational } from './format.ts';
import { applyFunction, constants, functionNames } from './functions.ts';
import { factorial, power } from './irrational.ts';
import { type BinaryOperator, type Node, parse } from './parse.ts';
import {
  add,
  CalculationError,
  divide,
  integer,
  modulo,
  multiply,
  negate,
  type Rational,
  subtract,
} from './rational.ts';

/** The value of an expression as text (see `formatRational`), or why it has none, where, and what is accepted. */
export type Evaluated = { ok: true; value: string; exact: boolean } | { ok: false; message: string };

/** The value of an expression as a fraction, or why it has none. */
export type Computed = { ok: true; value: Rational } | { ok: false; message: string };

const names = { functions: functionNames, constants: [...constants.keys()] };
const hundred = integer(100n);

/**
 * Evaluates an arithmetic expression exactly. Never throws and never gives Infinity or NaN; an expression of at most
 * 2,000 characters, nested at most 200 deep, with values of at most 10,000 digits. 0^0 is 1.
 */
export function evaluateExpression(text: string): Evaluated {
  const computed = computeExpression(text);
  return computed.ok ? { ok: true, ...formatRational(computed.value) } : computed;
}

/** As `evaluateExpression`, with the fraction itself. */
export function computeExpression(text: string): Computed {
  try {
    return { ok: true, value: evaluateNode(parse(text, names)) };
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error;
    return { ok: false, message: error.at === undefined ? error.message : `character ${error.at}: ${error.message}` };
  }
}

function evaluateNode(node: Node): Rational {
  switch (node.type) {
    case 'number':
      return node.value;
    case 'constant':
      return constants.get(node.name)?.() ?? integer(0n);
    case 'group':
      return evaluateNode(node.of);
    case 'negate':
      return negate(evaluateNode(node.of));
    case 'percent':
      return divide(evaluateNode(node.of), hundred);
    case 'factorial': {
      const of = evaluateNode(node.of);
      return located(node.at, () => factorial(of));
    }
    case 'call': {
      const args = node.args.map(evaluateNode);
      return located(node.at, () => applyFunction(node.name, args));
    }
    case 'binary': {
      const left = evaluateNode(node.left);
      const right = evaluateNode(node.right);
      const relative = isPercent(node.right) && !isPercent(node.left);
      return located(node.at, () => combine(node.operator, left, right, relative));
    }
  }
}

/** As on pocket calculators `200 + 10%` adds 10% of 200; a percentage on both sides is a plain sum. */
function combine(operator: BinaryOperator, left: Rational, right: Rational, relative: boolean): Rational {
  switch (operator) {
    case '+':
      return add(left, relative ? multiply(left, right) : right);
    case '-':
      return subtract(left, relative ? multiply(left, right) : right);
    case '*':
      return multiply(left, right);
    case '/':
      return divide(left, right);
    case '^':
      return power(left, right);
    case 'mod':
      return modulo(left, right);
  }
}

/** True for a bare percentage, with a sign or not, and a sum of such. */
function isPercent(node: Node): boolean {
  if (node.type === 'negate') return isPercent(node.of);
  if (node.type !== 'binary') return node.type === 'percent';
  return (node.operator === '+' || node.operator === '-') && isPercent(node.left) && isPercent(node.right);
}

function located(at: number, compute: () => Rational): Rational {
  try {
    return compute();
  } catch (error) {
    if (error instanceof CalculationError && error.at === undefined) throw new CalculationError(error.message, at);
    throw error;
  }
}
