import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { type CohOptions, cohExamples } from './coh.ts';
import type { JudgedAnswer, TaskGroup } from './example.ts';
import { runWith, verdict } from './sample-run.ts';
import { type Segment, tokenSpans } from './token-spans.ts';

function groupOf(answers: [text: string, score: number][], input = 'Which bay is free?'): TaskGroup {
  const judged = answers.map(
    ([answer, score], at): JudgedAnswer => ({
      runId: `r${at}`,
      answer,
      verdict: verdict(score === 1, { score }),
      isFinal: true,
      usedTools: false,
    }),
  );
  return { taskKey: 'bays', split: 'train', runs: [{ run: runWith({ input }), answers: judged }] };
}

function rowsOf(
  group: TaskGroup,
  options: CohOptions & { seed?: string },
): { segments: Segment[]; masked: number[] }[] {
  const examples = cohExamples(group, { seed: 's', perTask: 4, ...options });
  return examples.flatMap(({ rows }) => rows) as { segments: Segment[]; masked: number[] }[];
}

const learnt = (row: { segments: Segment[] }): string[] =>
  row.segments.filter(({ loss }) => loss).map(({ text }) => text);

const four = groupOf([
  ['right', 1],
  ['half', 0.5],
  ['wrong', 0],
  ['nearly', 0.8],
]);

describe('the order of a chain', () => {
  it('is the worst first, or the best first', () => {
    const [row] = rowsOf(four, { answers: 4 });
    expect(learnt(row!)).toEqual(['wrong', 'half', 'nearly', 'right']);
    const [reversed] = rowsOf(four, { answers: 4, order: 'best-first' });
    expect(learnt(reversed!)).toEqual(['right', 'nearly', 'half', 'wrong']);
  });

  it('can be drawn: every order occurs and each is the same for the same seed', () => {
    const orders = Array.from({ length: 200 }, (_, at) =>
      learnt(rowsOf(four, { answers: 4, order: 'random', seed: `${at}` })[0]!),
    );
    expect(new Set(orders.map(String)).size).toBe(24);
    expect(learnt(rowsOf(four, { answers: 4, order: 'random', seed: '7' })[0]!)).toEqual(orders[7]);
  });

  it('always has an answer that passed and one that did not', () => {
    for (const answers of [2, 3, 4, 5]) {
      for (const row of rowsOf(four, { answers })) expect(learnt(row)).toContain('right');
    }
    expect(
      rowsOf(
        groupOf([
          ['a', 1],
          ['b', 1],
        ]),
        {},
      ),
    ).toEqual([]);
    expect(
      rowsOf(
        groupOf([
          ['a', 0.2],
          ['b', 0],
        ]),
        {},
      ),
    ).toEqual([]);
  });
});

describe('the phrases', () => {
  const comparative = {
    phrases: 'comparative',
    english: { opening: ['First:'], better: ['Better:'], worse: ['Worse:'], equal: ['As good:'] },
  } as const;

  it('compare with the answer before', () => {
    const [row] = rowsOf(four, { ...comparative, answers: 4, order: 'best-first' });
    const said = row!.segments.filter(({ loss }) => !loss).map(({ text }) => text.split('\n').at(-1));
    expect(said).toEqual(['First: ', 'Worse: ', 'Worse: ', 'Worse: ']);
    const tie = groupOf([
      ['a', 1],
      ['b', 0],
      ['c', 0],
    ]);
    const tied = rowsOf(tie, { ...comparative, answers: 3 })[0]!.segments;
    expect(tied.map(({ text }) => text.split('\n').at(-1))).toEqual([
      'First: ',
      'b',
      'As good: ',
      'c',
      'Better: ',
      'a',
    ]);
  });

  it('are Chinese for a Chinese question', () => {
    const [row] = rowsOf(
      groupOf(
        [
          ['三号', 1],
          ['五号', 0],
        ],
        '哪个车位是空的？',
      ),
      { phrases: 'absolute' },
    );
    expect(row!.segments[0]!.text).toMatch(/回答.*：$/);
  });
});

/** Words with the blank before them, as byte-pair tokenizers cut. */
const words = (text: string): { start: number; end: number }[] =>
  [...text.matchAll(/\s*\S+|\s+$/g)].map((found) => ({ start: found.index, end: found.index + found[0].length }));

describe('token spans', () => {
  it('count exactly the tokens of each segment, whatever the segments are', () => {
    const segment = fc.record({ text: fc.string({ minLength: 1, unit: 'grapheme' }), loss: fc.boolean() });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
        const spans = tokenSpans(segments, words);
        const tokens = segments.flatMap(({ text }) => words(text).map(({ start, end }) => text.slice(start, end)));
        expect(spans.at(-1)?.end ?? 0).toBe(tokens.length);
        spans.forEach((span, at) => {
          expect(span.loss).toBe(segments[at]!.loss);
          expect(span.start).toBe(spans[at - 1]?.end ?? 0);
          // The tokens of the span put together are the segment: none reaches over a boundary.
          expect(tokens.slice(span.start, span.end).join('')).toBe(segments[at]!.text);
        });
      }),
    );
  });

  it.each([
    [
      'overlap',
      [
        { start: 0, end: 6 },
        { start: 2, end: 9 },
      ],
    ],
    ['leave out the end', [{ start: 0, end: 3 }]],
    [
      'leave out the middle',
      [
        { start: 0, end: 2 },
        { start: 5, end: 9 },
      ],
    ],
    ['reach beyond the text', [{ start: 0, end: 99 }]],
  ])('refuse a tokenizer whose tokens %s', (_what, tokens) => {
    expect(() => tokenSpans([{ text: 'bay three', loss: true }], () => tokens)).toThrow(UsageError);
  });

  it('take several tokens for the bytes of one character', () => {
    const bytes = [
      { start: 0, end: 2 },
      { start: 0, end: 2 },
      { start: 0, end: 2 },
    ];
    expect(tokenSpans([{ text: '🚚', loss: true }], () => bytes)).toEqual([{ start: 0, end: 3, loss: true }]);
  });
});

describe('the random mask of past tokens', () => {
  it('hides a share of up to the given one, never the first token, and the same for the same seed', () => {
    const long = groupOf([
      [`${'a '.repeat(500)}x`, 1],
      [`${'b '.repeat(500)}y`, 0],
    ]);
    const masks = Array.from({ length: 40 }, (_, at) =>
      rowsOf(long, { tokenize: words, maskPast: 0.2, seed: `${at}` }).map(({ masked }) => masked),
    ).flat();
    const shares = masks.map((masked) => masked.length / 1000);
    expect(Math.max(...shares)).toBeLessThan(0.25);
    expect(Math.max(...shares)).toBeGreaterThan(0.12);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeCloseTo(0.1, 1);
    expect(masks.every((masked) => masked.every((token) => token > 0))).toBe(true);
    expect(rowsOf(long, { tokenize: words, maskPast: 0.2, seed: '3' })[0]!.masked).toEqual(masks[3]);
  });
});
