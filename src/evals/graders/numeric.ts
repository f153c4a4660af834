import { measureOf, sameDimensions } from '../../checks/measures.ts';
import { unitOf } from '../../checks/units.ts';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { listOf, misfit } from './expected.ts';
import { gradeOf, isBlank, unanswered } from './grade-of.ts';
import { type ReadNumber, readNumbers } from './read-number.ts';

export interface NumericOptions {
  /** Allowed distance in the unit of the expected number. Default 1e-9. */
  tolerance?: number;
  /** Allowed distance as a share of the expected number, 0.01 for one percent. Default 0. The larger of the two counts. */
  relative?: number;
  /** Asks for a unit: `true` where the expected text holds it (`72 km/h`, `12%`), else its name. Default: units are not looked at. */
  units?: true | string;
}

/** Room for the arithmetic of conversions, as a share: less than 1 in a number of 15 digits. */
const rounding = 4 * Number.EPSILON;

/**
 * Passes when the number of the answer is the expected one, or one of several. It is the announced number, else the last; `about 7` is
 * 7; one that is denied does not count, and of several that are offered all have to fit. A percentage fits itself and its share: 12%
 * is 12 and 0.12. Where a unit is asked for, one of the same kind is converted; a missing unit is wrong, and so is one of which the
 * measure is not known and that is another word. Digits, number words and Chinese numerals are read.
 */
export function numeric({ tolerance = 1e-9, relative = 0, units }: NumericOptions = {}): Grader {
  if (!(tolerance >= 0 && relative >= 0))
    throw new UsageError('numeric: tolerance and relative have to be numbers of at least 0');
  const fits = (given: number, wanted: number): boolean =>
    Math.abs(given - wanted) <= Math.max(tolerance, relative * Math.abs(wanted)) + rounding * Math.abs(wanted);
  return {
    name: 'numeric',
    knows: 'reference',
    reads: 'answer',
    config: { tolerance, relative, units: units ?? false },
    grade({ task, answer }) {
      const wanted = listOf(task.expected).map((value) => expectedNumber(value, task, units));
      if (wanted.length === 0) throw misfit(task, 'numeric', needs(units));
      const expected = wanted.map(textOf).join(' or ');
      if (isBlank(answer)) return unanswered(expected);
      const read = readNumbers(answer);
      if (read.length === 0) return gradeOf(false, `no number is stated as the answer; expected ${expected}`);
      const pass = wanted.some((one) =>
        read.every((given) => valuesIn(given, one, units !== undefined).some((value) => fits(value, one.value))),
      );
      return gradeOf(pass, `read ${read.map(textOf).join(' and ')}, expected ${expected}`);
    },
  };
}

interface Wanted extends ReadNumber {
  /** The word of the unit, known or not. */
  unit?: string;
}

function needs(units: NumericOptions['units']): string {
  if (units === true) return 'one number with its unit as a text, such as "72 km/h"';
  return 'one number, as a number or as a text, or a list of which one will do';
}

function expectedNumber(value: Json, task: EvalTask, units: NumericOptions['units']): Wanted {
  const read = typeof value === 'number' ? [plain(value)] : typeof value === 'string' ? readNumbers(value) : [];
  const [number] = read;
  if (!number || read.length > 1 || !Number.isFinite(number.value)) throw misfit(task, 'numeric', needs(units));
  if (units === undefined || number.percent) return number;
  const unit = units === true ? (number.unit ?? /^\s?([\p{L}°][\p{L}\d°²³/^]*)/u.exec(number.after)?.[1]) : units;
  if (unit === undefined) throw misfit(task, 'numeric', needs(units));
  if (unit === '%') return { ...number, percent: true };
  const measure = measureOf(unit);
  return { value: number.value, percent: false, after: '', unit, ...(measure && { measure }) };
}

function plain(value: number): ReadNumber {
  return { value, percent: false, after: '' };
}

/** What the given number is in the unit of the wanted one; nothing where its unit is another. */
function valuesIn(given: ReadNumber, wanted: Wanted, withUnit: boolean): number[] {
  if (given.percent !== wanted.percent && withUnit) return [];
  if (given.percent && !wanted.percent) return [given.value, given.value / 100];
  if (wanted.percent && !given.percent) return [given.value, given.value * 100];
  if (!withUnit || wanted.percent) return [given.value];
  if (given.measure && wanted.measure) {
    if (!sameDimensions(given.measure, wanted.measure)) return [];
    return [(given.value * given.measure.factor) / wanted.measure.factor];
  }
  return isUnit(wanted.unit ?? '', given) ? [given.value] : [];
}

/** The same word, in whatever number or case. */
function isUnit(wanted: string, { unit, after }: ReadNumber): boolean {
  if (unit !== undefined && unitOf(unit) === unitOf(wanted)) return true;
  const next = after.trimStart().toLowerCase();
  if (next.startsWith(wanted.toLowerCase()) && !/^\p{L}{2}/u.test(next.slice(wanted.length))) return true;
  return unitOf(/^[\p{L}°][\p{L}\d°²³/^]*/u.exec(next)?.[0] ?? '') === unitOf(wanted);
}

function textOf({ value, percent, unit }: ReadNumber): string {
  return `${value}${percent ? '%' : unit === undefined ? '' : ` ${unit}`}`;
}
