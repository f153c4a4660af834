import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JudgedAnswer, TaskGroup } from './example.ts';
import { pairsOf, rankingsOf } from './pairs.ts';
import { runWith, verdict } from './sample-run.ts';

const judged = (answer: string, pass: boolean, score = Number(pass)): JudgedAnswer => ({
  runId: answer,
  answer,
  verdict: verdict(pass, { score }),
  isFinal: true,
  usedTools: false,
});

const groupOf = (answers: JudgedAnswer[]): TaskGroup => ({
  taskKey: 't',
  split: 'train',
  runs: answers.map((answer) => ({ run: runWith(), answers: [answer] })),
});

const best = (answers: JudgedAnswer[], most = 10): string[][] =>
  rankingsOf(groupOf(answers)).flatMap((ranking) =>
    pairsOf(ranking, { margin: 0, most }).map(({ chosen, rejected }) => [chosen.answer, rejected.answer]),
  );

describe('pairs', () => {
  it('never put answers together that say the same', () => {
    expect(best([judged('Bay 3.', true), judged('  bay 3', false)])).toEqual([]);
  });

  it('use no answer that was judged both ways', () => {
    expect(best([judged('Bay 3', true), judged('bay 3', false), judged('Bay 4', false)])).toEqual([]);
  });

  it('take the pair of the most similar length, then answers that are in none yet', () => {
    const right = [judged('r'.repeat(10), true), judged('R'.repeat(100), true)];
    const wrong = [judged('w'.repeat(90), false), judged('x'.repeat(11), false)];
    const pairs = best([...right, ...wrong], 2);
    expect(pairs.map(([chosen, rejected]) => [chosen!.length, rejected!.length])).toEqual([
      [10, 11],
      [100, 90],
    ]);
  });

  it('are of a right and a wrong answer, each pair once, and as many as there may be', () => {
    const answer = fc.record({ text: fc.string({ minLength: 1 }), pass: fc.boolean() });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (answers, most) => {
        const [ranking] = rankingsOf(groupOf(answers.map(({ text, pass }) => judged(text, pass))));
        if (!ranking) return;
        const pairs = pairsOf(ranking, { margin: 0, most });
        const right = ranking.answers.filter(({ verdict }) => verdict.pass).length;
        expect(pairs).toHaveLength(Math.min(most, right * (ranking.answers.length - right)));
        expect(new Set(pairs.map(({ chosen, rejected }) => `${chosen.answer}\n${rejected.answer}`)).size).toBe(
          pairs.length,
        );
        for (const { chosen, rejected } of pairs)
          expect([chosen.verdict.pass, rejected.verdict.pass]).toEqual([true, false]);
      }),
    );
  });
});
