import { computeExpression } from '../tools/builtin/calculator/evaluate.ts';
import { conversionsIn, type Equation, equationsIn, isSingle, numbersOf, type Side } from './equations.ts';
import { combine, type Measure, measureOf, sameDimensions } from './measures.ts';
import { mixesUnits } from './units.ts';

/** A side in the base units of its dimensions. */
interface Amount {
  value: number;
  measure: Measure;
  /** In base units: what rounding to the digits shown may have taken away; 0 for a side that is computed. */
  rounding: number;
}

const aboutShare = 0.01;
/** A day of 8 working hours, a week of 5 working days or 40 hours. */
const workingTime = [8 / 24, 5 / 7, 40 / 168];
const currency = /^(?:dollar|eur|gbp|cny|jpy|inr|chf|krw)$/;

/**
 * The equations of a text whose units do not fit: 72 km/h = 25 m/s, 2 kg + 300 g = 5 kg, 30 min × 60 km/h = 1800 km, and
 * amounts in two currencies added as if they were one. Judged only where every unit is known and both sides measure the
 * same; kB may be 1,000 or 1,024 bytes.
 */
export function wrongConversions(text: string): { stated: string; computed: string }[] {
  const mixed = equationsIn(text).filter(({ left, right }) => mixesUnits([...left.units, ...right.units]));
  const inTwoUnits = conversionsIn(text).filter(({ left, right }) => mixesUnits([...left.units, ...right.units]));
  return [...mixed, ...inTwoUnits].flatMap((equation) => {
    const stated = `${equation.left.text} ${equation.approximate ? '≈' : '='} ${equation.right.text}`;
    const computed = addedCurrencies(equation) ?? misfit(equation);
    return computed === undefined ? [] : [{ stated, computed }];
  });
}

function misfit(equation: Equation): string | undefined {
  const [left, right] = [amountOf(equation.left, 1), amountOf(equation.right, 1)];
  if (!left || !right || !sameDimensions(left.measure, right.measure)) return undefined;
  if (Object.keys(left.measure.dimensions).length === 0) return undefined;
  const [otherLeft, otherRight] = [amountOf(equation.left, 1.024), amountOf(equation.right, 1.024)];
  if (fits(left, right, equation) || (otherLeft && otherRight && fits(otherLeft, otherRight, equation)))
    return undefined;
  const ratio = left.value / right.value;
  if (workingTime.some((share) => [ratio * share, ratio / share].some((one) => Math.abs(one - 1) < 0.001)))
    return undefined;
  const unit = numbersOf(equation.right)[0]?.unit;
  const factor = unit === undefined ? undefined : measureOf(unit)?.factor;
  return `${equation.left.text} is ${Number((left.value / (factor ?? 1)).toPrecision(6))} ${factor === undefined ? 'in base units' : unit}`;
}

function fits(left: Amount, right: Amount, { approximate }: Equation): boolean {
  const gap = Math.abs(left.value - right.value);
  const share = approximate ? aboutShare : 1e-9;
  return gap <= Math.max(left.rounding, right.rounding, Math.abs(left.value) * share);
}

/** Sums of like amounts, and products and quotients; nothing with parentheses, powers or percentages. */
function amountOf(side: Side, binary: number): Amount | undefined {
  const numbers = numbersOf(side);
  if (numbers.some(({ percent }) => percent)) return undefined;
  const measure = measureOfSide(side, binary);
  const computed = computeExpression(
    side.pieces
      .map((piece) =>
        typeof piece === 'string' ? piece : `(${piece.plain}*${piece.scale}*${factorText(piece.unit, binary)})`,
      )
      .join(''),
  );
  const [number] = numbers;
  if (!measure || !computed.ok || !number) return undefined;
  const decimals = number.plain.split('.')[1]?.length ?? 0;
  const rounding = isSingle(side) ? 0.5 * 10 ** -decimals * number.scale * measure.factor : 0;
  return { value: Number(computed.value.n) / Number(computed.value.d), measure, rounding };
}

function measureOfSide(side: Side, binary: number): Measure | undefined {
  const operators = side.pieces.filter((piece) => typeof piece === 'string').map((piece) => piece.trim());
  const measures = numbersOf(side).map(({ unit }) => (unit === undefined ? plain : inBinary(measureOf(unit), binary)));
  const [first, ...rest] = measures;
  if (!first || rest.length !== operators.length) return undefined;
  if (operators.every((operator) => /^[-+]$/.test(operator)))
    return rest.every((next) => next !== undefined && sameDimensions(first, next)) ? first : undefined;
  if (!operators.every((operator) => /^[*/]$/.test(operator))) return undefined;
  return rest.reduce<Measure | undefined>(
    (measure, next, place) => measure && next && combine(measure, next, operators[place] === '*' ? 1 : -1),
    first,
  );
}

const plain: Measure = { dimensions: {}, factor: 1 };

/** kB and the like as 1,024 bytes. */
function inBinary(measure: Measure | undefined, binary: number): Measure | undefined {
  if (!measure || binary === 1 || measure.dimensions['byte'] !== 1) return measure;
  const thousands = Math.round(Math.log10(measure.factor) / 3);
  return measure.factor === 1000 ** thousands ? { ...measure, factor: 1024 ** thousands } : measure;
}

function factorText(unit: string | undefined, binary: number): string {
  const factor = unit === undefined ? 1 : (inBinary(measureOf(unit), binary)?.factor ?? 1);
  // Without an exponent sign, which the calculator reads as a name after a parenthesis.
  return factor.toFixed(18).replace(/0+$/, '').replace(/\.$/, '');
}

/** $5 + €5 = $10: the bare sum of two currencies. With an exchange rate the sum is another. */
function addedCurrencies({ left, right }: Equation): string | undefined {
  const numbers = numbersOf(left);
  const names = numbers.map(({ unit }) => Object.keys(measureOf(unit ?? '')?.dimensions ?? {})[0] ?? '');
  const additive =
    left.pieces.some((piece) => piece === ' + ') &&
    left.pieces.every((piece) => typeof piece !== 'string' || piece === ' + ');
  if (!additive || !names.every((name) => currency.test(name)) || new Set(names).size < 2) return undefined;
  const [result] = numbersOf(right);
  const sum = numbers.reduce((total, number) => total + Number(number.plain) * number.scale, 0);
  if (!result || !isSingle(right) || Math.abs(sum - Number(result.plain) * result.scale) > 1e-9 * sum) return undefined;
  return 'it adds amounts in different currencies without an exchange rate';
}
