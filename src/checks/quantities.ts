import { type Measure, measureOf, sameDimensions } from './measures.ts';
import { numbersIn, type StatedNumber, withoutMarkers } from './numbers.ts';

/** A number of a text with the unit that stands at it. */
export interface Quantity {
  number: StatedNumber;
  /** As written (km/h, €, 公里); absent where none is known. */
  unit?: string;
  measure?: Measure;
  /** Where it ends in the text after `withoutMarkers`. */
  end: number;
}

const hanUnits =
  '平方公里|平方千米|平方米|立方米|毫秒|秒|分钟|小时|天|星期|周|个月|毫米|厘米|公里|千米|米|毫克|千克|公斤|克|吨|斤|毫升|升|千瓦|瓦|分|人民币|美元|欧元|英镑|日元|元';
const unitAfter = new RegExp(
  `[ \\u00a0]?(?:([A-Za-z]{1,10}(?:[²³]|\\^[23])?(?:(?:/|\\sper\\s)(?:[A-Za-z]{1,10}|${hanUnits}))?)(?![\\p{L}\\d])|([$€£¥₹₩])|((?:${hanUnits})(?:/(?:${hanUnits}))?))`,
  'uy',
);
const currencyBefore = /(?:(US\$|[$€£¥₹₩])|\b(USD|EUR|GBP|CNY|RMB|JPY|INR|CHF))[ \u00a0]?$/;

/** The numbers of a claim with their units. */
export function quantitiesIn(text: string): Quantity[] {
  const plain = withoutMarkers(text);
  return numbersIn(text).map((number) => {
    const end = number.index + number.text.length;
    const unit = unitAt(plain, number.index, end);
    const measure = unit === undefined ? undefined : measureOf(unit);
    return { number, end, ...(unit !== undefined && { unit }), ...(measure && { measure }) };
  });
}

/** True when a quantity is another one in its own unit, within what its digits were rounded by. */
export function isConversion(stated: Quantity, known: Quantity): boolean {
  if (!stated.measure || !known.measure || !sameDimensions(stated.measure, known.measure)) return false;
  const { number, measure } = stated;
  const rounding = (number.tolerance || 10 ** -decimals(number) / 2) * measure.factor;
  const value = known.number.value * known.measure.factor;
  return Math.abs(number.value * measure.factor - value) <= rounding + 1e-9 * value;
}

/** True for a quantity that is another one in other units, alone or with its neighbours: 93 minutes are 1 h 33 min. */
export function isConverted(one: Quantity, known: readonly Quantity[], among: readonly Quantity[]): boolean {
  const units = known.filter(({ measure }) => measure?.factor !== one.measure?.factor);
  if (units.some((other) => isConversion(one, other))) return true;
  const whole = compoundWith(one, among);
  return whole !== undefined && known.some((other) => isConversion(whole, other));
}

/** 1 h 33 min as minutes, for either of its parts. */
function compoundWith(one: Quantity, among: readonly Quantity[]): Quantity | undefined {
  const place = among.indexOf(one);
  for (const [large, small] of [
    [among[place - 1], one],
    [one, among[place + 1]],
  ]) {
    if (!large?.measure || !small || small.number.index - large.end > longestGap) continue;
    const measure = small.unit === '分' ? measureOf('分钟') : small.measure;
    if (!measure || !sameDimensions(large.measure, measure) || large.measure.factor <= measure.factor) continue;
    const value = (large.number.value * large.measure.factor) / measure.factor + small.number.value;
    return { ...small, measure, number: { ...small.number, value } };
  }
  return undefined;
}

/** Between the parts of 1 hour and 33 minutes. */
const longestGap = 14;

/**
 * Whether another number may be the one meant: of one dimension, or without any and both percentages or neither. A year
 * is no amount.
 */
export function isSameSort(one: Quantity, other: Quantity): boolean {
  if (one.measure && other.measure) return sameDimensions(one.measure, other.measure);
  if (one.measure ?? other.measure) return false;
  const isYear = ({ number }: Quantity): boolean => /^(?:1[5-9]|20)\d\d$/.test(number.text);
  return (isYear(one) || !isYear(other)) && one.number.percent === other.number.percent;
}

function decimals({ text }: StatedNumber): number {
  return /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
}

function unitAt(plain: string, start: number, end: number): string | undefined {
  const before = currencyBefore.exec(plain.slice(Math.max(0, start - 5), start));
  if (before) return before[1]?.replace('US', '') ?? before[2];
  unitAfter.lastIndex = end;
  const [, latin, sign, han] = unitAfter.exec(plain) ?? [];
  if (latin === undefined) return sign ?? han;
  const [first = ''] = latin.split(/\/|\sper\s/);
  // A price per metre is money: sources put what it is for in a column or a word of its own.
  if (/^(?:[A-Z]{3}|euros?|dollars?|yuan|yen)$/.test(first) && measureOf(first)) return first;
  if (measureOf(latin)) return latin;
  return !latin.includes('/') && measureOf(first) ? first : undefined;
}
