/** The Game of 24 as a search problem: states are the numbers that are left, and code knows every move and every dead end. */
import type { SearchProblem } from '../../src/index.ts';

/** An exact fraction, so that 8 / (3 - 8 / 3) is 24 and not nearly so. */
interface Term {
  numerator: number;
  denominator: number;
  /** The numbers of the task it was made of. */
  text: string;
}

export interface Numbers {
  terms: readonly Term[];
  moves: readonly string[];
}

export interface GameOptions {
  /** Leave out to have a model value the states. */
  evaluator?: boolean;
  /** Leave out to have a model propose the moves. */
  proposer?: boolean;
}

const goal = 24;

export function gameOf24({ evaluator = true, proposer = true }: GameOptions = {}): SearchProblem<Numbers> {
  return {
    name: 'game-of-24',
    initial: (text) => {
      const numbers = text.match(/\d+/g)?.slice(-4) ?? [];
      if (numbers.length !== 4) return undefined;
      return {
        terms: numbers.map((number) => ({ numerator: Number(number), denominator: 1, text: number })),
        moves: [],
      };
    },
    key: ({ terms }) => shown(terms),
    render: ({ terms, moves }) => [...moves, `left: ${shown(terms)}`].join('\n'),
    isSolution: ({ terms }) => terms.length === 1 && isGoal(terms[0]),
    answer: ({ terms }) => (terms.length === 1 ? `${terms[0]?.text} = ${terms[0] && valueText(terms[0])}` : undefined),
    isComplete: ({ terms }) => terms.length === 1,
    extend: (state, { text }) => afterMove(state, text),
    ...(proposer && { propose: movesFrom }),
    ...(evaluator && { evaluate: ({ terms }) => (canReach(terms) ? 1 : 0) }),
  };
}

function movesFrom({ terms, moves }: Numbers): Numbers[] {
  return pairsOf(terms).flatMap(({ a, b, rest }) =>
    results(a, b).map((made) => ({ terms: [...rest, made], moves: [...moves, moveText(made)] })),
  );
}

function moveText(made: Term): string {
  return `${made.text} = ${valueText(made)}`;
}

/** The state after a move a model wrote, such as `4 + 8`; undefined when the numbers are not there. */
function afterMove({ terms, moves }: Numbers, text: string): Numbers | undefined {
  const match = /(-?\d+(?:\/\d+)?)\s*([-+*/×÷])\s*(-?\d+(?:\/\d+)?)/.exec(text);
  const [, left, sign = '', right] = match ?? [];
  const a = terms.find((term) => valueText(term) === left);
  const b = terms.find((term) => term !== a && valueText(term) === right);
  if (!(a && b)) return undefined;
  const made = combined(a, b, sign.replace('×', '*').replace('÷', '/'));
  if (!made) return undefined;
  const rest = terms.filter((term) => term !== a && term !== b);
  return { terms: [...rest, made], moves: [...moves, moveText(made)] };
}

function pairsOf(terms: readonly Term[]): { a: Term; b: Term; rest: Term[] }[] {
  return terms.flatMap((a, i) =>
    terms.slice(i + 1).map((b) => ({ a, b, rest: terms.filter((term) => term !== a && term !== b) })),
  );
}

function results(a: Term, b: Term): Term[] {
  const made = [
    combined(a, b, '+'),
    combined(a, b, '*'),
    combined(a, b, '-'),
    combined(b, a, '-'),
    combined(a, b, '/'),
    combined(b, a, '/'),
  ];
  return made.filter((term) => term !== undefined);
}

function combined(a: Term, b: Term, sign: string): Term | undefined {
  const text = `(${a.text} ${sign} ${b.text})`;
  switch (sign) {
    case '+':
    case '-': {
      const right = b.numerator * a.denominator * (sign === '+' ? 1 : -1);
      return reduced(a.numerator * b.denominator + right, a.denominator * b.denominator, text);
    }
    case '*':
      return reduced(a.numerator * b.numerator, a.denominator * b.denominator, text);
    case '/':
      return b.numerator === 0 ? undefined : reduced(a.numerator * b.denominator, a.denominator * b.numerator, text);
    default:
      return undefined;
  }
}

function reduced(numerator: number, denominator: number, text: string): Term {
  const sign = denominator < 0 ? -1 : 1;
  const shared = greatestDivisor(Math.abs(numerator), Math.abs(denominator));
  return { numerator: (sign * numerator) / shared, denominator: (sign * denominator) / shared, text };
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** Tries everything: with three numbers or fewer that is nothing. */
function canReach(terms: readonly Term[]): boolean {
  if (terms.length === 1) return isGoal(terms[0]);
  return pairsOf(terms).some(({ a, b, rest }) => results(a, b).some((made) => canReach([...rest, made])));
}

function isGoal(term: Term | undefined): boolean {
  return term?.numerator === goal && term.denominator === 1;
}

function valueText({ numerator, denominator }: Term): string {
  return denominator === 1 ? `${numerator}` : `${numerator}/${denominator}`;
}

function shown(terms: readonly Term[]): string {
  return terms
    .toSorted((a, b) => a.numerator / a.denominator - b.numerator / b.denominator)
    .map(valueText)
    .join(' ');
}
