import { describe, expect, test } from 'vitest';
import type { LessonDraft } from '../core/attempt.ts';
import { lessonWith } from '../testing/lesson-contract-fixture.ts';
import { type Relation, relationOf } from './relation.ts';

const draft = (trigger: string, failurePattern: string, lesson: string, avoid = ''): LessonDraft => ({
  trigger,
  failurePattern,
  lesson,
  avoid,
});

const cases: Record<Relation, [LessonDraft, LessonDraft][]> = {
  opposed: [
    [
      draft('publish the handbook', 'page builder missing', 'Run ./bookmake.sh to publish'),
      draft('publishing the handbook', 'a removed builder was called', 'Run mill publish; bookmake.sh was removed'),
    ],
    [
      draft('publish the handbook', 'page builder missing', 'Publish with bookmake'),
      draft('publishing the handbook', 'page builder gone', 'Publish with the mill', 'bookmake'),
    ],
    [
      draft('distances in tables', 'units mixed', 'Convert each distance to kilometres, then add them up'),
      draft('tables of distances', 'units mixed up', 'Convert every distance to miles, then sum them'),
    ],
    [
      draft('totals of amounts', 'cents lost', 'Round each amount before adding'),
      draft('a total of amounts', 'cents lost', 'Add the amounts and round after adding'),
    ],
    [
      draft('totals of amounts', 'rounding', 'Round to two decimals'),
      draft('a total of amounts', 'cents lost', 'Round to three decimals'),
    ],
    [
      draft('split the fields of a log', 'quoted comma', 'Split the fields with a pattern'),
      draft('fields of a log', 'fields torn apart', 'Use the log parser instead of a pattern'),
    ],
    [
      draft('sort the releases', 'wrong order', 'Sort the releases newest first'),
      draft('order of releases', 'wrong order', 'List releases with the oldest first'),
    ],
    [
      draft('anything', 'slow table', 'Sum rows in their own unit', 'Convert each distance to kilometres'),
      draft('distance tables', 'miles added', 'Convert each distance to kilometres, then add the distances'),
    ],
    [
      draft('one thing', 'slow table', 'Never convert each distance to kilometres before adding'),
      draft('distance tables', 'miles added', 'Convert each distance to kilometres before adding'),
    ],
    [
      draft('opening the vault book', 'page torn', 'Ask the keeper for the copy'),
      draft('opening the vault book', 'page torn', 'Read the scan in the archive'),
    ],
    [
      draft('汇总人数', '合计行重复', '先排除合计行，再累加人数'),
      draft('汇总表格人数', '少算一行', '先包含合计行，再累加人数'),
    ],
    [draft('里程换算', '单位混淆', '把里程换算成公里再相加'), draft('里程换算', '单位混乱', '把里程换算成英里再相加')],
    [
      draft('发布手册', '命令找不到', '用 bookmake 发布手册'),
      draft('发布手册的命令', '命令已删', '改用 mill 发布，bookmake 已删除'),
    ],
  ],
  same: [
    [
      draft('distance tables', 'units', 'convert each distance to KILOMETRES; then add distances.'),
      draft('distances', 'units', 'Convert each distance to kilometres, then add the distances'),
    ],
    [
      draft('distance tables', 'units mixed', 'Convert each distance to kilometres, then sum the distances'),
      draft('tables', 'mixed', 'Always convert every distance to kilometres and then add the distances'),
    ],
    [
      draft('统计', '合计行', '先排除合计行，再逐行累加人数'),
      draft('统计表', '合计行', '先要排除合计行，然后再逐行累加人数'),
    ],
  ],
  unlike: [
    [
      draft('publishing the handbook', 'missing changelog entry', 'Read the changelog before you publish'),
      draft('publishing the handbook', 'publish command not found', 'Run mill publish'),
    ],
    [
      draft('distance tables', 'miles added to kilometres', 'Never add distances of different units'),
      draft('distance tables', 'units lost', 'Convert each distance to kilometres, then add the distances'),
    ],
    [
      draft('order total', 'shipping forgotten', 'Read the shipping rules before computing the total'),
      draft('order total', 'discount forgotten', 'Read the discount rules before computing the total'),
    ],
    [
      draft('currency sums', 'cents lost', 'Round the amounts after adding'),
      draft('telescope angles', 'drift', 'Turn the dial before reading the angle'),
    ],
    [draft('发票税额', '税率', '先按税率拆分每张发票的金额'), draft('发票税额', '币种', '把发票金额换算成人民币')],
  ],
};

describe.each(Object.entries(cases))('%s', (relation, pairs) => {
  test.each(pairs)('%j and %j, in both orders', (one, other) => {
    expect(relationOf(one, other)).toBe(relation);
    expect(relationOf(other, one)).toBe(relation);
  });
});

test('a change that is told as one replaces what shares little with it, and not the reverse', () => {
  const before = draft('publish the handbook', 'builder missing', 'The handbook builder is bookmake');
  const after = draft('publishing the handbook', 'builder gone', 'The handbook is now made by the mill');
  expect(relationOf(after, before)).toBe('opposed');
});

test('a draft is compared with a full scope quickly', () => {
  const long = (index: number) => `${'Convert each distance of the table and add '.repeat(15)} column ${index}`;
  const scope = Array.from({ length: 500 }, (_, index) => lessonWith({ lesson: long(index) }));
  const began = performance.now();
  for (const known of scope) relationOf(draft('distances', 'units', long(-1)), known);
  expect(performance.now() - began).toBeLessThan(4_000);
});
