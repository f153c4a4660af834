import { fencedCode } from '../../checks/fenced-blocks.ts';
import { announcedPart } from '../../solver/self-consistency/normalisers.ts';
import type { Grader } from '../grader.ts';
import { misfit } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';
import { pythonValue } from './python-value.ts';

/** Of an answer, from its end, in characters. */
const reach = 100_000;

/**
 * Passes when the answer is a Python literal that is equal to the expected one as Python compares them (CRUXEval output prediction, Gu et
 * al. 2024, section 3): bare, announced, in backticks or in the only fenced block. Nothing is executed; an expression is no literal.
 */
export function pythonLiteral(): Grader {
  return {
    name: 'pythonLiteral',
    knows: 'reference',
    reads: 'answer',
    config: {},
    grade({ task, answer }) {
      const wanted = typeof task.expected === 'string' ? pythonValue(task.expected.trim()) : undefined;
      if (wanted === undefined) throw misfit(task, 'pythonLiteral', 'a Python literal as a text, such as "[1, 2]"');
      const expected = shown(String(task.expected));
      if (isBlank(answer)) return unanswered(expected);
      const readings = literalsIn(answer.slice(-reach)).flatMap((text) => pythonValue(text.trim()) ?? []);
      const [read] = readings;
      if (read === undefined) return gradeOf(false, `no Python literal in ${shown(answer)}; expected ${expected}`);
      return gradeOf(read === wanted, `${shown(answer)}, expected ${expected}`);
    },
  };
}

/** Where the literal may be; the first that is one counts. */
function literalsIn(answer: string): string[] {
  const [block, ...more] = fencedCode(answer);
  const announced = announcedPart(answer).trim();
  const line = announced.split('\n')[0] ?? '';
  const coded = [...answer.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code = '']) => code);
  return [
    ...(block !== undefined && more.length === 0 ? [block] : []),
    answer,
    ...[announced, line, line.replace(/\.$/, '')].filter((text) => announced !== answer.trim() && text !== ''),
    ...(coded.length === 1 ? coded : []),
  ];
}
