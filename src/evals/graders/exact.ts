import { normalAnswer } from '../../checks/evaluators/reference.ts';
import type { Grader } from '../grader.ts';
import { expectedTexts, functionMark } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';

export interface ExactOptions {
  /** Applied to the answer and to what is expected. Default: NFKC, lower case, blanks as one, no quotation marks around and no full stop at the end. */
  normalise?: (text: string) => string;
}

/** An answer so much longer than every reference is another one, and normalising it would take long. */
const longerBy = 1_000;

/** Passes when the whole answer is the expected text, or one of several, after normalisation. */
export function exact({ normalise }: ExactOptions = {}): Grader {
  return {
    name: 'exact',
    knows: 'reference',
    reads: 'answer',
    config: { normalise: normalise ? functionMark(normalise) : 'default' },
    grade({ task, answer }) {
      const references = expectedTexts(task, 'exact');
      const expected = references.map(shown).join(' or ');
      if (isBlank(answer)) return unanswered(expected);
      const longest = Math.max(...references.map(({ length }) => length));
      const isLonger = !normalise && answer.trim().length > 4 * longest + longerBy;
      const normal = normalise ?? normalAnswer;
      const read = isLonger ? undefined : normal(answer);
      const pass = references.some((reference) => normal(reference) === read);
      return gradeOf(pass, pass ? `${shown(answer)} is as expected` : `${shown(answer)}, expected ${expected}`);
    },
  };
}
