/** Failures of what was learned: a lesson that misleads, or an error that no sample and no lesson avoids. */
import { termsOf } from '../../../memory/tokens.ts';
import { givesAll, isTelling, Text, type Value } from '../expected-value.ts';
import type { Facts } from '../facts.ts';
import type { RecalledLesson } from '../failed-run.ts';
import { at, type TriageRule } from '../rule.ts';
import { takenPlaces } from './decompose.ts';

/** Words by which a lesson names something as an error. */
const asError =
  /\b(?:not|never|avoid|wrong|mistake\w*|incorrect\w*|instead of|assumed|should have|failed)\b|n't\b|不要|不能|不应|避免|错误|误/i;

/** The lesson names the value that was wrongly given as the one to give, or what tells its line from the right one. */
export const lessonMisled: TriageRule = {
  name: 'lesson-misled',
  layer: 'memory',
  symptom: 'lesson-misled',
  applies(facts) {
    const { given, expected, rightAnswer, answer, taskText } = facts;
    if (!given || !expected || rightAnswer || answer === undefined) return undefined;
    const taken = takenPlaces(facts);
    const task = new Set(termsOf(taskText.raw));
    for (const lesson of facts.lessons.filter((one) => !asError.test(one.lesson))) {
      const led =
        taken &&
        termsOf(lesson.lesson).find((term) => taken.wrong.has(term) && !taken.right.has(term) && !task.has(term));
      if (!names(lesson, given, facts) && led === undefined) continue;
      return {
        why: `The answer follows the lesson ${lesson.id} against ${taken ? 'what was read' : 'the task'}.`,
        evidence: [
          at(`lesson ${lesson.id}`, lesson.lesson),
          ...(taken ? [at(taken.where, taken.rightPlace)] : []),
          at('answer', answer),
        ],
      };
    }
    return undefined;
  },
};

/** A lesson names the very error, and it was made again. */
export const lessonUnheeded: TriageRule = {
  name: 'lesson-unheeded',
  layer: 'memory',
  symptom: 'lesson-unheeded',
  applies(facts) {
    const { given, expected, rightAnswer, answer } = facts;
    if (!given || !expected || rightAnswer || answer === undefined) return undefined;
    const lesson = facts.lessons.find((one) => asError.test(one.lesson) && names(one, given, facts));
    if (!lesson) return undefined;
    return {
      why: `The lesson ${lesson.id} names this very error, and the run made it again.`,
      evidence: [at(`lesson ${lesson.id}`, lesson.lesson), at('answer', answer)],
    };
  },
};

function names({ lesson }: RecalledLesson, given: Value, { sought, taskText }: Facts): boolean {
  const text = new Text(lesson);
  return isTelling(given) && text.holds(given) && !taskText.holds(given) && !sought.some((value) => text.holds(value));
}

/** Fewer samples that agree may agree by chance. */
const many = 4;

export const stableBias: TriageRule = {
  name: 'stable-bias',
  layer: 'memory',
  symptom: 'stable-bias',
  applies({ events, expected, rightAnswer }) {
    const samples = events('sample.end');
    const [first] = samples;
    if (!first || !expected || rightAnswer || samples.length < many) return undefined;
    if (first.vote === '' || samples.some(({ vote }) => vote !== first.vote) || givesAll(first.answer, expected))
      return undefined;
    return {
      why: `All ${samples.length} samples give the same wrong answer: more of them will not help.`,
      evidence: [
        at(first.id, first.answer),
        ...events('vote.made')
          .slice(-1)
          .map(({ id, winner }) => at(id, `winner: ${winner}`)),
      ],
    };
  },
};
