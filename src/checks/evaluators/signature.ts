import { UsageError } from '../../core/errors.ts';
import type { Evaluator } from '../check.ts';
import { codeOf } from './code-of.ts';
import { noAnswer } from './tests-pass.ts';

export interface SignatureOptions {
  /** The function's name. */
  name: string;
  /** How many parameters it takes; those with a default value and rest parameters count, `self` does not. */
  parameters: number;
}

/**
 * Passes when the answer's code defines a function of this name with so many parameters, in JavaScript, TypeScript or Python. It reads
 * the text and runs nothing: what the function does is beyond it, so it can never be the only evaluator of correct code.
 */
export function signature({ name, parameters }: SignatureOptions): Evaluator {
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) throw new UsageError(`signature: '${name}' is no name of a function`);
  if (!(Number.isInteger(parameters) && parameters >= 0))
    throw new UsageError(`signature: parameters has to be a whole number of at least 0, not ${parameters}`);
  return {
    name: 'signature',
    knows: 'rules',
    evaluate: ({ answer }) => {
      if (answer === undefined) return noAnswer;
      const counts = parameterCounts(codeOf(answer, 'typescript') || codeOf(answer, 'python'), name);
      if (counts.includes(parameters))
        return { pass: true, score: 1, feedback: `${name} is defined with ${parameters} parameter(s)` };
      const found =
        counts.length === 0
          ? `no function named ${name} is defined`
          : `${name} is defined with ${counts.join(' and ')} parameter(s)`;
      return {
        pass: false,
        score: counts.length === 0 ? 0 : 0.5,
        feedback: `${found}; needed is ${name} with ${parameters} parameter(s)`,
      };
    },
  };
}

/** Of each definition of the name. */
function parameterCounts(code: string, name: string): number[] {
  const called = name.replaceAll('$', '\\$');
  const definition = new RegExp(
    `(?:\\bdef\\s+${called}|\\bfunction\\s*\\*?\\s*${called}|\\b(?:const|let|var)\\s+${called}\\b[^=\\n]*=\\s*(?:async\\s*)?(?:function\\b\\s*\\*?\\s*[\\w$]*)?)\\s*(?:<[^>(]*>\\s*)?\\(`,
    'gu',
  );
  const single = new RegExp(`\\b(?:const|let|var)\\s+${called}\\s*=\\s*(?:async\\s+)?[\\w$]+\\s*=>`, 'gu');
  return [
    ...[...code.matchAll(definition)].map((found) => countParameters(code.slice(found.index + found[0].length))),
    ...[...code.matchAll(single)].map(() => 1),
  ];
}

/** Of a list whose opening parenthesis was read. Commas in nested brackets and in strings separate nothing. */
function countParameters(rest: string): number {
  const plain = rest
    .replace(/(["'`])(?:\\.|(?!\1)[^\\])*\1/gs, '""')
    .replace(/\/\*.*?\*\/|(?:\/\/|#)[^\n]*/gs, '')
    .replaceAll('=>', '');
  const parameters = [''];
  let depth = 0;
  for (const character of plain) {
    if (depth === 0 && character === ')') break;
    if ('([{<'.includes(character)) depth++;
    else if (')]}>'.includes(character)) depth--;
    if (depth === 0 && character === ',') parameters.push('');
    else parameters[parameters.length - 1] += character;
  }
  return parameters.map((text) => text.trim()).filter((text) => !['', '*', '/', 'self'].includes(text)).length;
}
