import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { misfit } from './expected.ts';
import { gradeOf, shown } from './grade-of.ts';

/**
 * Passes when every text occurs in the answer, without regard to case and commas (tau-bench, Yao et al. 2024, section 3). A text may
 * stand inside a longer word or number, as there. The score is the share of texts found. Without `texts` they are the task's
 * `expected`, a list or `{ outputs }`, which may be empty: then nothing has to be said.
 */
export function outputs(texts?: readonly string[]): Grader {
  if (texts && (texts.length === 0 || texts.includes('')))
    throw new UsageError('outputs: give at least one text, none of them empty');
  return {
    name: 'outputs',
    knows: 'reference',
    reads: 'answer',
    config: { texts: texts ? [...texts] : 'expected' },
    grade({ task, answer = '' }) {
      const wanted = texts ?? expectedOutputs(task);
      if (wanted.length === 0) return gradeOf(true, 'nothing has to be said');
      const said = comparable(answer);
      const missing = wanted.filter((text) => !said.includes(comparable(text)));
      const score = (wanted.length - missing.length) / wanted.length;
      if (missing.length === 0) return gradeOf(true, `the answer says ${wanted.map(shown).join(', ')}`);
      return gradeOf(false, `the answer does not say ${missing.map(shown).join(', ')}`, score);
    },
  };
}

function comparable(text: string): string {
  return text.toLowerCase().replaceAll(',', '');
}

function expectedOutputs(task: EvalTask): string[] {
  const { expected } = task;
  const listed = isObject(expected) ? expected['outputs'] : expected;
  const isTexts =
    Array.isArray(listed) && listed.every((text): text is string => typeof text === 'string' && text !== '');
  if (!isTexts) throw misfit(task, 'outputs', 'a list of the texts that the answer has to say, or { outputs: [...] }');
  return listed;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
