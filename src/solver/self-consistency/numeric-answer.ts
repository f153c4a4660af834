import { asciiDigits, numbersIn } from '../../checks/numbers.ts';
import { announcedPart } from './normalisers.ts';

/** Digits in which two results that were rounded on different ways still agree. */
const significantDigits = 12;
/** Characters before a number that can belong to it: its sign, and the upper part of its fraction. */
const reach = 80;

/**
 * The last number of the answer, of the announced part where there is one (`The answer is 12 apples`). Separators, currencies and units
 * are dropped, 5% is 5, fractions and scale words (1.2 million, 3 万) are computed, 3,5 is 3.5 and 1.234,56 is 1234.56.
 * A task whose answers may come in several units has to name one. Abstains where there is no number.
 */
export function numericAnswer(answer: string): string | undefined {
  const text = plainNumbers(asciiDigits(announcedLine(answer).replace(/[−–]/g, '-')));
  const last = numbersIn(text).at(-1);
  if (!last) return undefined;
  const at = text.lastIndexOf(last.text);
  const before = text.slice(Math.max(0, at - reach), at);
  const upper = /(?:(\d+)[ -])?(-?)(\d+(?:\.\d+)?)\s*\/\s*$/.exec(before);
  if (upper && last.value !== 0) return canonical(fraction(upper, last.value), before.slice(0, upper.index));
  const isInteger = last.scale === 1 && !last.digits.includes('.');
  // More digits than a floating-point number holds apart are compared as they stand.
  if (isInteger && last.digits.length > significantDigits) return isNegative(before) ? `-${last.digits}` : last.digits;
  return canonical(last.value, before);
}

/** What follows the announcement may go on to explain, and to name other numbers. */
function announcedLine(answer: string): string {
  const part = announcedPart(answer);
  return part === answer ? answer : (part.trimStart().split('\n')[0] ?? '');
}

function fraction([, whole = '0', sign, numerator]: RegExpExecArray, denominator: number): number {
  const value = Number(whole) + Number(numerator) / denominator;
  return sign ? -value : value;
}

/** 3,5, 1.234,56, 10 000, 1e3 and `3 万` as the reader of numbers takes them. */
function plainNumbers(text: string): string {
  return text
    .replace(/(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d+(?![\d,])/g, (number) => number.replaceAll('.', '').replace(',', '.'))
    .replace(/(?<![\d.,])(\d+),(\d{1,2})(?![\d,])(?!\.\d)/g, '$1.$2')
    .replace(/(?<![\d.,]|\d )\d{1,3}(?: \d{3})+(?![\d])/g, (number) => number.replaceAll(' ', ''))
    .replace(/(?<![\w.])\d+(?:\.\d+)?e[-+]?\d{1,2}\b/gi, (number) => withoutExponent(Number(number)))
    .replace(/(\d) (?=[百千]?[万亿])/g, '$1');
}

function withoutExponent(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : value.toFixed(15);
}

/** A minus that stands at the number and is no subtraction. */
function isNegative(before: string): boolean {
  return /(?:^|[\s(=:,$€£¥])-[$€£¥]?$/.test(before);
}

function canonical(value: number, before: string): string {
  const signed = isNegative(before) ? -value : value;
  return String(Number(signed.toPrecision(significantDigits)) + 0);
}
