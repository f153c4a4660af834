import { mathText } from '../../checks/math-text.ts';
import { asciiDigits } from '../../checks/numbers.ts';

const currencyCode = /\b(USD|EUR|GBP|CNY|RMB|JPY|INR|CHF)(?=\d)/g;
const power = '(?:\\*\\*|\\^)\\s*[({]?(-?\\d{1,3})[)}]?';
const scientific = new RegExp(`(?<![\\w.])(\\d+(?:\\.\\d+)?)\\s*[×x*·]\\s*10\\s*${power}`, 'g');

/**
 * A text with its numbers in one notation, which `numbersIn` reads: 1.234,50 and 12,34,567 without their groups, 3,5 as 3.5, ½ as 1/2,
 * 1.2e3 and 1.2 × 10^3 written out, LaTeX and emphasis taken away, a minus in words as a sign.
 */
export function plainNumbers(text: string): string {
  const plain = text.includes('\\') ? plainLatex(text) : text;
  return asciiDigits(
    plain.replace(
      /(\d?)([¼-¾⅐-⅞])/g,
      (_, before: string, sign: string) => `${before}${before && ' '}${fraction(sign)}`,
    ),
  )
    .replace(/[−–](?=[\d.$€£¥])/g, '-')
    .replace(/(?:\b(?:minus|negative)\s+|负)(?=[$€£¥]?\d)/gi, '-')
    .replace(scientific, (_, digits: string, exponent: string) => writtenOut(Number(`${digits}e${exponent}`)))
    .replace(/\*\*|__|`/g, '')
    .replace(/(?<![\w.])\d+(?:\.\d+)?e[-+]?\d{1,3}(?!\w)/gi, (number) => writtenOut(Number(number)))
    .replace(/(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d+(?![\d,])/g, (number) => number.replaceAll('.', '').replace(',', '.'))
    .replace(/(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.,]\d|\d)/g, (number) => number.replaceAll('.', ''))
    .replace(/(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?!\d|,\d)/g, (number) => number.replaceAll(',', ''))
    .replace(/(?<![\d.,])(\d+),(\d{1,2}|\d{4,})(?!\d|[.,]\d)/g, '$1.$2')
    .replace(/(?<![\d.,])0,(\d{3})(?!\d|[.,]\d)/g, '0.$1')
    .replace(/(^|[\s(=:$€£¥-])\.(?=\d)/g, '$10.')
    .replace(currencyCode, '$1 ')
    .replace(/(\d) (?=[百千]?[万亿])/g, '$1');
}

function plainLatex(text: string): string {
  return mathText(text.replace(/\$([^$\n]{1,200})\$(?!\d)/g, ' $1 '))
    .replace(/(\d)(?=\(\()/g, '$1 ')
    .replace(/\(\((\d+(?:\.\d+)?)\)\/\((\d+(?:\.\d+)?)\)\)/g, '$1/$2');
}

function fraction(sign: string): string {
  return sign.normalize('NFKC').replace('⁄', '/');
}

/** A number without an exponent; one that is no number of this machine stays no digits at all. */
function writtenOut(value: number): string {
  if (!Number.isFinite(value)) return 'infinity';
  if (Number.isInteger(value)) return String(BigInt(value));
  return value.toFixed(Math.min(100, 20 + Math.max(0, -Math.floor(Math.log10(value)))));
}
