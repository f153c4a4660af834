/** Better and worse answers to the same question. */
import { normalAnswer } from '../../checks/evaluators/reference.ts';
import type { JudgedAnswer, TaskGroup } from './example.ts';
import { questionText } from './prompts.ts';

/** The answers to one question, whatever runs they come from. */
export interface Ranking {
  question: string;
  /** The worst first; no two say the same. */
  answers: JudgedAnswer[];
}

/** Answers that were judged right in one run and wrong in another are left out: a verdict on more than the text decided there. */
export function rankingsOf({ runs }: TaskGroup): Ranking[] {
  const byQuestion = Map.groupBy(runs, ({ run }) => questionText(run.task));
  return [...byQuestion].map(([question, asked]) => {
    const same = Map.groupBy(
      asked.flatMap(({ answers }) => answers),
      ({ answer }) => normalAnswer(answer) || answer,
    );
    const clear = [...same.values()].filter(([first, ...rest]) =>
      rest.every(({ verdict }) => verdict.pass === first?.verdict.pass),
    );
    const answers = clear.flatMap(([first]) => (first ? [first] : []));
    return { question, answers: answers.sort(byQuality) };
  });
}

function byQuality(a: JudgedAnswer, b: JudgedAnswer): number {
  return Number(a.verdict.pass) - Number(b.verdict.pass) || a.verdict.score - b.verdict.score;
}

export interface Pair {
  chosen: JudgedAnswer;
  rejected: JudgedAnswer;
}

/**
 * Pairs of an answer that passed and one that did not, whose scores differ by `margin` at least. Those of the most similar length come
 * first, since preference training takes length for quality; answers that no pair has yet come before those that one has.
 */
export function pairsOf({ answers }: Ranking, options: { margin: number; most: number }): Pair[] {
  const wrong = answers.filter(({ verdict }) => !verdict.pass);
  const left = answers
    .filter(({ verdict }) => verdict.pass)
    .flatMap((chosen) => wrong.map((rejected) => ({ chosen, rejected })))
    .filter(({ chosen, rejected }) => chosen.verdict.score - rejected.verdict.score >= options.margin)
    .sort((a, b) => lengthRatio(a) - lengthRatio(b));
  const used = new Map<JudgedAnswer, number>();
  const uses = ({ chosen, rejected }: Pair): number => (used.get(chosen) ?? 0) + (used.get(rejected) ?? 0);
  const pairs: Pair[] = [];
  while (pairs.length < options.most && left.length > 0) {
    const least = Math.min(...left.map(uses));
    const [pair] = left.splice(
      left.findIndex((candidate) => uses(candidate) === least),
      1,
    );
    if (!pair) break;
    pairs.push(pair);
    for (const answer of [pair.chosen, pair.rejected]) used.set(answer, (used.get(answer) ?? 0) + 1);
  }
  return pairs;
}

/** 0 for the same length, as much for twice as for half of it. */
function lengthRatio({ chosen, rejected }: Pair): number {
  return Math.abs(Math.log((chosen.answer.length + 1) / (rejected.answer.length + 1)));
}
