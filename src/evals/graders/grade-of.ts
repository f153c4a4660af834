import type { Grade } from '../grader.ts';

const shownChars = 80;
const whyChars = 800;

/** A grade with its reason on one line; without a score of its own it is all or nothing. */
export function gradeOf(pass: boolean, why: string, score: number = pass ? 1 : 0): Grade {
  const lines = why
    .slice(0, whyChars)
    .trim()
    .split(/\s*[\n\r\u2028\u2029]\s*/);
  return { pass, score, why: lines.join('; ').toWellFormed() };
}

/** The grade of a run that gave up, or that answered with blanks. */
export function unanswered(expected: string): Grade {
  return gradeOf(false, `there is no answer; expected ${expected}`);
}

export function isBlank(answer: string | undefined): answer is undefined {
  return answer === undefined || answer.trim() === '';
}

/** A text in quotation marks on one line, cut to what a reader needs. */
export function shown(text: string): string {
  const line = text
    .slice(0, 4 * shownChars)
    .replace(/\s+/g, ' ')
    .trim();
  const cut = line.length > shownChars || text.length > 4 * shownChars;
  return `"${line.slice(0, shownChars).toWellFormed()}${cut ? '…' : ''}"`;
}
