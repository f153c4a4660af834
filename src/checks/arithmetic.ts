import type { Issue } from '../core/attempt.ts';
import { computeExpression, evaluateExpression } from '../tools/builtin/calculator/evaluate.ts';
import { absolute, compare, integer, multiply, type Rational, subtract } from '../tools/builtin/calculator/rational.ts';
import type { Check } from './check.ts';
import { wrongConversions } from './conversions.ts';
import type { NumberToken } from './equation-tokens.ts';
import { type Equation, equationsIn, isSingle, numbersOf, type Side } from './equations.ts';
import { mixesUnits, unitOf } from './units.ts';

/** A number this long was printed by a program, and its last digits are floating-point noise. */
const floatingDigits = 15;
const floatingShare = 10n ** 14n;

/**
 * Every computation the answer or a claim states is computed again: `12 × 4 = 48`, `10% of 50 is 5`, chains, words and
 * Chinese. A result may be rounded to the decimals it shows; after ≈ or "about" also to the digits it shows, or within 1%.
 * Where units are mixed, see `wrongConversions`.
 */
export const arithmetic: Check = {
  name: 'arithmetic',
  run(attempt) {
    const told = new Set<string>();
    const texts = [
      ...attempt.claims.map(({ text }) => ({ text, claim: text })),
      { text: attempt.answer ?? '', claim: undefined },
    ];
    return texts.flatMap(({ text, claim }) =>
      [...wrongComputations(text), ...wrongConversions(text)].flatMap(({ stated, computed }): Issue[] => {
        if (told.has(stated)) return [];
        told.add(stated);
        return [
          {
            type: 'wrong_computation',
            detail: `"${stated}" is wrong: ${computed}`,
            requiredAction: 'correct the result and everything that follows from it; use the calculator',
            ...(claim !== undefined && { claim }),
          },
        ];
      }),
    );
  },
};

/** The equations of a text that do not hold, each with what is right, such as `3 × 4 is 12`. */
export function wrongComputations(text: string): { stated: string; computed: string }[] {
  return equationsIn(text).flatMap((equation) => {
    const { left, right, approximate } = equation;
    if (!isJudged(equation) || holds(equation)) return [];
    const [expression, result] = isSingle(left) ? [right, left] : [left, right];
    const percent = isSingle(result) && numbersOf(result).some((number) => number.percent);
    const asked = written(expression, plainReading);
    const value = evaluateExpression(percent ? `(${asked}) * 100` : asked);
    if (!value.ok) return [];
    const stated = `${left.text} ${approximate ? '≈' : '='} ${right.text}`;
    return [{ stated, computed: `${expression.text} is ${value.value}${percent ? '%' : ''}` }];
  });
}

/** How percent signs and scale words are taken. People are not consistent; a text is wrong only if no likely way fits. */
interface Reading {
  /** `bare`: 5% counts as 5. */
  percent: 'fraction' | 'bare';
  scaled: boolean;
}

const plainReading: Reading = { percent: 'fraction', scaled: true };

function holds(equation: Equation): boolean {
  const { left, right } = equation;
  const numbers = [...numbersOf(left), ...numbersOf(right)];
  const scalings = numbers.some((number) => number.scale !== 1) ? [true, false] : [true];
  return scalings.some((scaled) =>
    percentReadings(left, right).some(([first, second]) =>
      agrees(equation, { percent: first, scaled }, { percent: second, scaled }),
    ),
  );
}

/** 4 + 5% = 9% and 3 / 12 × 100 = 25% are read as meant; for 5% of 200 there is one way only. */
function percentReadings(left: Side, right: Side): [Reading['percent'], Reading['percent']][] {
  const readings: [Reading['percent'], Reading['percent']][] = [['fraction', 'fraction']];
  if (!numbersOf(right).some((number) => number.percent)) return readings;
  const additive = left.pieces.every((piece) => typeof piece !== 'string' || !/[*/^!]|of|mod/.test(piece));
  if (additive) readings.push(['bare', 'bare']);
  if (numbersOf(left).some((number) => number.plain === '100')) readings.push(['fraction', 'bare']);
  return readings;
}

function agrees(equation: Equation, leftReading: Reading, rightReading: Reading): boolean {
  const left = computeExpression(written(equation.left, leftReading));
  const right = computeExpression(written(equation.right, rightReading));
  // What cannot be computed (too large, 0 divisors) is not shown to be wrong.
  if (!left.ok || !right.ok) return true;
  const gap = absolute(subtract(left.value, right.value));
  const allowed = tolerances(equation, { left: left.value, right: right.value, leftReading, rightReading });
  return allowed.some((tolerance) => compare(gap, tolerance) <= 0) && !isTruncated(equation, left.value, right.value);
}

interface Values {
  left: Rational;
  right: Rational;
  leftReading: Reading;
  rightReading: Reading;
}

function tolerances({ left, right, approximate }: Equation, values: Values): Rational[] {
  const allowed = [integer(0n)];
  for (const { side, reading } of [
    { side: left, reading: values.leftReading },
    { side: right, reading: values.rightReading },
  ]) {
    const [number] = numbersOf(side);
    if (!isSingle(side) || !number) continue;
    allowed.push(halfUnit(number, reading, approximate));
    if (number.plain.length > floatingDigits) allowed.push(share(values.left, floatingShare));
  }
  const rounded = [...numbersOf(left), ...numbersOf(right)].some((number) => number.plain.includes('.'));
  const bothComputed = !isSingle(left) && !isSingle(right);
  if (approximate || (bothComputed && rounded)) allowed.push(share(values.left, 100n));
  return allowed;
}

function share(value: Rational, of: bigint): Rational {
  return multiply(absolute(value), { n: 1n, d: of, exact: true });
}

/** Half a unit of the last digit shown; of an approximate integer, of the last digit that is not 0. */
function halfUnit(number: NumberToken, reading: Reading, approximate: boolean): Rational {
  const [mantissa = '', exponent = '0'] = number.plain.toLowerCase().split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  const zeros = approximate && decimals === 0 ? (/0*$/.exec(mantissa)?.[0].length ?? 0) : 0;
  const unit = `0.5 * 10^(${zeros - decimals} + (${exponent}))`;
  const factor = `${reading.scaled ? number.scale : 1} * ${number.percent && reading.percent !== 'bare' ? '1%' : '1'}`;
  const computed = computeExpression(`${unit} * ${factor}`);
  return computed.ok ? computed.value : integer(0n);
}

/** A half that was dropped where it should have been rounded up: 7 / 2 = 3. Rounding it to the even digit is fine. */
function isTruncated({ right, approximate }: Equation, exact: Rational, shown: Rational): boolean {
  const [number] = numbersOf(right);
  if (approximate || !isSingle(right) || !number) return false;
  const half = halfUnit(number, plainReading, false);
  const gap = subtract(absolute(exact), absolute(shown));
  return half.n !== 0n && compare(gap, half) === 0 && /[13579]$/.test(number.plain);
}

function isJudged({ left, right, word }: Equation): boolean {
  const units = [...left.units, ...right.units];
  if (mixesUnits(units)) return false;
  const [first, second] = numbersOf(left);
  const compact = left.pieces.filter((piece) => piece === '-' || piece === '/');
  const spaced = left.pieces.some((piece) => typeof piece === 'string' && /^ .* $|[*^!]/.test(piece));
  if (compact.length > 0 && !spaced && word) return false;
  // 3-5 is a range unless the result is negative too.
  if (
    left.pieces[1] === '-' &&
    left.pieces.length === 3 &&
    first &&
    second &&
    Number(first.plain) < Number(second.plain)
  )
    return right.pieces[0] === '-';
  // 2L + 8 = 22 is algebra.
  if (left.units.length < numbersOf(left).length && left.units.some((unit) => /^[A-Za-z]$/.test(unit))) return false;
  const adds = left.pieces.some((piece) => piece === ' + ' || piece === ' - ');
  return !adds || new Set(left.units.map(leadingUnit)).size <= 1;
}

function leadingUnit(unit: string): string {
  return unitOf(unit.split(' ')[0] ?? unit);
}

/** A side as the calculator reads it. */
function written(side: Side, reading: Reading): string {
  return side.pieces.map((piece) => (typeof piece === 'string' ? piece : numeral(piece, reading))).join('');
}

function numeral(number: NumberToken, { percent, scaled }: Reading): string {
  const value = scaled && number.scale !== 1 ? `(${number.plain}*${number.scale})` : number.plain;
  return number.percent && percent === 'fraction' ? `${value}%` : value;
}
