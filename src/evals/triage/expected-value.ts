import { normalAnswer } from '../../checks/evaluators/reference.ts';
import { isCarried, numberSource, numbersIn } from '../../checks/numbers.ts';
import { comparableText, standsInComparable } from '../../checks/quote-text.ts';
import type { Json } from '../../core/json.ts';
import { termsOf } from '../../memory/tokens.ts';
import { exactAnswer } from '../../solver/self-consistency/normalisers.ts';
import { numericAnswer } from '../../solver/self-consistency/numeric-answer.ts';

/** One value that may be looked for in a text. */
export interface Value {
  text: string;
  /** Set when the value is a number. */
  number?: number;
}

/** What was expected: one value, or the parts of a list. Undefined for what cannot be looked for, such as an object. */
export interface Expected {
  parts: Value[];
}

/** The expected answer of a task as values to look for. */
export function expectedOf(expected: Json | undefined): Expected | undefined {
  const items = Array.isArray(expected) ? expected : [expected];
  const parts = items.flatMap((item) => asValue(item) ?? []);
  return parts.length > 0 && parts.length === items.length ? { parts } : undefined;
}

function asValue(item: Json | undefined): Value | undefined {
  if (typeof item === 'number') return { text: String(item), number: item };
  if (typeof item === 'boolean') return { text: item ? 'yes' : 'no' };
  if (typeof item !== 'string' || item.trim() === '') return undefined;
  const number = plainNumber(item);
  return { text: number === undefined ? bare(item) : item.trim(), ...(number !== undefined && { number }) };
}

/** Without what a reader leaves out: quotation marks, an article before it, a note in brackets after it. */
function bare(text: string): string {
  const plain = text
    .trim()
    .replace(/^(?:the|an?)\s+(?=\S{3})/i, '')
    .replace(/(?<=\S)\s*\([^()]*\)$/, '');
  return plain.replace(/^["'“”「]+|["'“”」]+$/gu, '').trim() || text.trim();
}

function plainNumber(text: string): number | undefined {
  if (!/^[-+]?[\d,]*\.?\d+$/.test(text.trim())) return undefined;
  const number = Number(text.replaceAll(',', ''));
  return Number.isFinite(number) ? number : undefined;
}

/** A text that values are looked for in, read once. */
export class Text {
  readonly raw: string;
  #comparable: string | undefined;
  #numbers: ReturnType<typeof numberSource> | undefined;

  constructor(raw: string) {
    this.raw = raw;
  }

  /** Whether the value stands in it: a number as one of its numbers, a text at word boundaries. */
  holds({ text, number }: Value): boolean {
    if (number === undefined) {
      this.#comparable ??= comparableText(this.raw);
      return standsInComparable(text, this.#comparable);
    }
    this.#numbers ??= numberSource(this.raw);
    const [stated] = numbersIn(String(Math.abs(number)));
    return stated !== undefined && isCarried([this.#numbers], { ...stated, tolerance: 0 });
  }

  /** The lines or sentences that hold the value. */
  placesOf(value: Value): string[] {
    return this.raw.split(/\n|(?<=[.!?])\s+|(?<=[。！？])/u).filter((place) => new Text(place).holds(value));
  }
}

/** Whether an answer gives the value: as its number, as its text, or as words of a short answer. */
export function gives(answer: string, value: Value): boolean {
  if (value.number !== undefined) {
    const said = numericAnswer(answer);
    return said !== undefined && Math.abs(Number(said) - value.number) <= 1e-9 * Math.max(1, Math.abs(value.number));
  }
  const wanted = normalAnswer(value.text);
  if (normalAnswer(answer) === wanted || exactAnswer(answer) === wanted) return true;
  return isTelling(value) && answer.length <= longestAnswer && new Text(answer).holds(value);
}

/** More words are a sentence: its figures are what can be looked for. */
const longestValue = 6;

/** The figures of a sentence that the task does not give itself; for a short value, the value. */
export function soughtIn(value: Value, task: Text): Value[] {
  const isSentence =
    value.number === undefined && (termsOf(value.text).length > longestValue || /^\s*\{/.test(value.text));
  const figures = isSentence ? figuresOf(value.text, task) : [];
  return figures.length > 0 ? figures : [value].filter((one) => isTelling(one) && !task.holds(one));
}

/** The figures of a text that stand nowhere in the task. */
export function figuresOf(text: string, task: Text): Value[] {
  return numbersIn(text)
    .map(({ digits, value }): Value => ({ text: digits, number: value }))
    .filter((one) => isTelling(one) && !task.holds(one));
}

/** Whether an answer gives every part. */
export function givesAll(answer: string, { parts }: Expected): boolean {
  return parts.length > 1
    ? parts.every((part) => new Text(answer).holds(part))
    : parts.every((part) => gives(answer, part));
}

/** A longer answer may name a value only to reject it. */
const longestAnswer = 300;

/** Whether a text is a verdict, such as yes or REFUTES, or a letter of a choice. */
export function isLabel(text: string): boolean {
  return labels.test(text.trim().replace(/[.。]$/, ''));
}

/** Words that stand everywhere, so that where they stand says nothing. */
const labels =
  /^(?:yes|no|true|false|supports?|supported|refutes?|refuted|not enough info|unknown|none|[a-j]|是|否|对|错|不是)$/i;

/** Whether finding the value in a text says that the text answers the question: labels and single digits stand anywhere. */
export function isTelling({ text, number }: Value): boolean {
  if (number !== undefined) return Math.abs(number) >= 10 || !Number.isInteger(number);
  return !isLabel(text) && text.length >= 2;
}

/** What a sentence says before the value it gives. */
const leadIn = /^(?:(?:it|this|that|he|she|they|there) (?:is|was|are|were) (?:by |the )?|[是为由]|答案[是为])/;

/**
 * The value an answer gives: of a sentence the first figure that was not expected; else its last number where a number was expected, or its
 * text without what announces it.
 */
export function answerValue(answer: string, expected: Expected | undefined, task: Text): Value | undefined {
  const [part] = expected?.parts ?? [];
  const wanted = part ? soughtIn(part, task) : [];
  if (part && part.number === undefined && wanted.some(({ number }) => number !== undefined)) {
    const known = new Text(part.text);
    return figuresOf(answer, task).find((figure) => !known.holds(figure));
  }
  if (part?.number !== undefined || (part === undefined && /\d/.test(answer))) {
    const said = numericAnswer(answer);
    return said === undefined ? undefined : { text: said, number: Number(said) };
  }
  const plain = exactAnswer(answer)?.replace(leadIn, '');
  return plain ? { text: plain } : undefined;
}
