/** Evaluators that know the right answer. They are for measurements: at work nobody has the reference, so all that they do says `oracle`. */
import { UsageError } from '../../core/errors.ts';
import type { Task } from '../../core/task.ts';
import type { OracleEvaluator } from '../evaluators.ts';
import { asciiDigits, numbersIn } from '../numbers.ts';
import { noAnswer } from './tests-pass.ts';

/** NFKC, lower case, one space for a run of blanks, no quotation marks around it and no full stop at its end. */
export function normalAnswer(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^["'“”‘’«「]+|["'“”‘’»」.。!]+$/g, '')
    .trim();
}

const different = 'the answer is not equal to the reference (oracle), which is not shown';

export interface ExactReferenceOptions {
  /** Applied to answer and reference. Default `normalAnswer`. */
  normalise?: (text: string) => string;
}

/** Passes when the answer equals the reference, or one of several, after normalisation. An oracle: its verdicts say so and never name the reference. */
export function exactReference(
  expected: string | readonly string[],
  { normalise = normalAnswer }: ExactReferenceOptions = {},
): OracleEvaluator {
  const references = (typeof expected === 'string' ? [expected] : expected).map((text) => normalise(text));
  if (references.length === 0 || references.includes(''))
    throw new UsageError('exactReference: a reference is empty; give the right answer as text');
  return {
    name: 'oracle:exact',
    knows: 'reference',
    evaluate: ({ answer }) => {
      if (answer === undefined) return noAnswer;
      const pass = references.includes(normalise(answer));
      return { pass, score: pass ? 1 : 0, feedback: pass ? 'equal to the reference (oracle)' : different };
    },
    reveals: (text, task) => references.some((reference) => states(normalAnswer(text), reference, task)),
  };
}

export interface NumericReferenceOptions {
  /** Allowed distance. Default 1e-9. */
  tolerance?: number;
  /** Allowed distance as a share of the reference, 0.01 for one percent. Default 0. The larger of the two counts. */
  relative?: number;
}

/**
 * Passes when the last number of the answer is the reference within the tolerance. `1.2 million` is 1200000, 5% is 5. An oracle: its
 * verdicts say so and never name the reference.
 */
export function numericReference(
  expected: number,
  { tolerance = 1e-9, relative = 0 }: NumericReferenceOptions = {},
): OracleEvaluator {
  if (!Number.isFinite(expected)) throw new UsageError(`numericReference: ${expected} is not a finite number`);
  if (!(tolerance >= 0 && relative >= 0))
    throw new UsageError('numericReference: tolerance and relative have to be numbers of at least 0');
  const allowed = Math.max(tolerance, relative * Math.abs(expected));
  const fits = (value: number): boolean => Math.abs(value - expected) <= allowed;
  return {
    name: 'oracle:numeric',
    knows: 'reference',
    evaluate: ({ answer }) => {
      if (answer === undefined) return noAnswer;
      const value = signedNumbers(answer).at(-1);
      if (value === undefined) return { pass: false, score: 0, feedback: 'the answer holds no number' };
      const pass = fits(value);
      return { pass, score: pass ? 1 : 0, feedback: pass ? 'equal to the reference (oracle)' : different };
    },
    reveals: (text, task) => {
      const given = new Set(signedNumbers(task.input));
      return signedNumbers(text).some((value) => fits(value) && !given.has(value) && String(value).length > 1);
    },
  };
}

/** Short references stand in texts by chance, and what the task offers as a choice is no secret. */
function states(text: string, reference: string, task: Task): boolean {
  if (reference.length < 3 || holds(normalAnswer(task.input), reference)) return false;
  return holds(text, reference);
}

function holds(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const around = text.charAt(at - 1) + text.charAt(at + words.length);
    if (!/[\p{L}\p{N}]/u.test(around) || /\p{Script=Han}/u.test(around)) return true;
  }
  return false;
}

/** The numbers of a text with their signs, in order. */
function signedNumbers(text: string): number[] {
  const whole = Number(text.trim());
  if (text.trim() !== '' && Number.isFinite(whole)) return [whole];
  const plain = asciiDigits(text).replace(/[−–](?=\d)/g, '-');
  let from = 0;
  return numbersIn(plain).map(({ text: written, value }) => {
    const at = plain.indexOf(written, from);
    if (at < 0) return value;
    from = at + written.length;
    // A sign, not the dash of a range or of a name.
    return /(?:^|[\s(=:$€£¥])-\s?[$€£¥]?$/.test(plain.slice(0, at)) ? -value : value;
  });
}
