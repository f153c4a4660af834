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
  '平方公里|平方千米|平方米|立方米|毫秒|秒|分钟|小时|天|星期|周|个月|毫米|厘米|公里|千米|米|毫克|千克|公斤|克|吨|斤|毫升|升|千瓦|瓦|人民币|美元|欧元|英镑|日元|元';
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

/** The quantities of a text in another unit than written are the same amount: within what both numbers were rounded by. */
export function isConversion(left: Quantity, right: Quantity): boolean {
  if (!left.measure || !right.measure || !sameDimensions(left.measure, right.measure)) return false;
  const [a, b] = [left.number.value * left.measure.factor, right.number.value * right.measure.factor];
  const allowed = [left, right].map(
    ({ number, measure }) => (number.tolerance || 10 ** -decimals(number) / 2) * (measure?.factor ?? 1),
  );
  return Math.abs(a - b) <= Math.max(...allowed) + 1e-9 * a;
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
  if (measureOf(latin)) return latin;
  const [first = ''] = latin.split(/\/|\sper\s/);
  return !latin.includes('/') && measureOf(first) ? first : undefined;
}
