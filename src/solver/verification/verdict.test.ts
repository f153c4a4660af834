import { describe, expect, it } from 'vitest';
import type { Claim } from '../../core/attempt.ts';
import { type AnsweredQuestion, courtOf, type Finding, issueOf, isUnusable, Verdict, weigh } from './verdict.ts';

const cited = [{ observation: 'obs-1', quote: 'The mast is 9 m high' }];
const claims: Claim[] = [{ text: 'the mast is 9 m high', evidence: cited }];
const answers: AnsweredQuestion[] = [
  {
    question: 'How high is the mast?',
    answer: 'It is 9 m high.',
    evidence: cited,
    crossCheck: { relation: 'consistent', why: '9 m' },
  },
  { question: 'Who built it?', answer: 'A yard in Gdynia.', evidence: [] },
  { question: 'What is it made of?', answer: 'Of spruce.', evidence: [{ observation: 'obs-2', quote: 'spruce' }] },
];
const brief = {
  task: { input: 'Describe the mast.', constraints: ['name the wood'], checks: [] },
  notes: [],
  evidence: [],
};
const observation = (id: `obs-${number}`, content: string) => ({
  id,
  path: '',
  tool: 'read',
  args: {},
  status: 'ok' as const,
  content,
  trust: 'untrusted' as const,
});
const court = courtOf(claims, brief, {
  draft: 'Draft: a mast of oak, 9 m high, and 12 m long\nClaim 1: the mast is 9 m high',
  observations: [observation('obs-1', 'The mast is 9 m high.'), observation('obs-2', 'It is of spruce.')],
  answers,
});

const finding = (change: Partial<Finding> = {}): Finding => ({
  type: 'contradiction',
  detail: 'the wood is wrong',
  requiredAction: 'name the right one',
  criterion: 'sources',
  evidence: [{ source: 'obs-2', quote: 'It is of spruce', speaks: 'against' }],
  holds: true,
  ...change,
});
const against = (source: string, quote: string) => ({ source, quote, speaks: 'against' as const });
const verdict = (change: Partial<Verdict>): Verdict => ({
  verdict: 'revise',
  issues: [],
  needsMoreTools: false,
  ...change,
});
const weighed = (change: Partial<Finding>) => weigh(verdict({ issues: [finding(change)] }), court);

describe('a verdict', () => {
  it.each<[string, unknown]>([
    ['a word', 'INCORRECT'],
    ['another word', 'PASS'],
    ['another form', { pass: 'false' }],
    ['a sentence as the verdict', { verdict: 'I would pass it, but the unit is wrong', issues: [] }],
    ['two verdicts', { verdict: 'pass/fail', issues: [] }],
    ['another case of letters', { verdict: 'Pass', issues: [] }],
    ['a text for a flag', { verdict: 'pass', issues: [], needsMoreTools: 'false' }],
    [
      'an issue without words',
      { verdict: 'revise', issues: [{ type: 'incomplete', detail: '', requiredAction: 'x' }] },
    ],
    ['the word of code', { verdict: 'revise', issues: [{ type: 'failed_check', detail: 'x', requiredAction: 'x' }] }],
  ])('is exact: %s is none', (_, said) => {
    expect(Verdict.safeParse(said).success).toBe(false);
  });

  it.each<[string, Partial<Verdict>]>([
    ['passes with an issue', { verdict: 'pass', issues: [finding()] }],
    ['finds fault without an issue', { verdict: 'fail' }],
    ['passes and wants more tools', { verdict: 'pass', needsMoreTools: true }],
  ])('contradicts itself when it %s', (_, said) => {
    expect(weigh(verdict(said), court).contradictions).toHaveLength(1);
    expect(isUnusable(weigh(verdict(said), court))).toBe(true);
  });

  it('may not pass what a cross-check found inconsistent', () => {
    const unlike = {
      ...court,
      answers: [{ ...answers[2]!, crossCheck: { relation: 'inconsistent' as const, why: 'oak' } }],
    };
    expect(weigh(verdict({ verdict: 'pass' }), unlike).contradictions[0]).toContain('answer-1 (oak)');
    expect(weigh(verdict({ verdict: 'pass' }), court)).toEqual({ contradictions: [], counted: [], objections: [] });
  });
});

describe('an issue counts', () => {
  it.each<[string, Partial<Finding>]>([
    ['an observation speaks against the draft', {}],
    ['an answer does that rests on an observation', { evidence: [against('answer-3', 'Of spruce')] }],
    [
      'what the task asks for is missing',
      { type: 'incomplete', criterion: 'condition-1', evidence: [against('task', 'name the wood')] },
    ],
    ['the draft computes wrongly', { type: 'wrong_computation', evidence: [against('draft', '12 m long')] }],
    ['two places of the draft disagree', { evidence: [against('draft', '9 m high'), against('draft', '12 m long')] }],
  ])('when %s', (_, change) => {
    expect(weighed(change)).toMatchObject({ counted: [{ detail: 'the wood is wrong' }], objections: [] });
  });

  it.each<[string, Partial<Finding>]>([
    ['it holds no more', { holds: false }],
    ['it cites an observation that does not exist', { evidence: [against('obs-7', 'spruce')] }],
    ['it cites an answer that does not exist', { evidence: [against('answer-9', 'spruce')] }],
    ['its quote does not stand there', { evidence: [against('obs-2', 'It is of oak')] }],
    ['its quote is nothing', { evidence: [against('obs-2', '…')] }],
    ['its evidence speaks for the draft', { evidence: [{ ...against('obs-2', 'spruce'), speaks: 'for' }] }],
    ['its answer agreed with the draft', { evidence: [against('answer-1', '9 m high')] }],
    [
      'its quote says what the claim says',
      {
        type: 'unsupported_claim',
        claim: 'the mast is 9 m high',
        evidence: [against('obs-1', 'The mast is 9 m high.')],
      },
    ],
  ])('never when %s, which is a contradiction', (_, change) => {
    const { counted, objections } = weighed(change);
    expect(counted).toEqual([]);
    expect(objections).toMatchObject([{ reason: 'contradiction' }]);
  });

  it.each<[string, Partial<Finding>]>([
    ['has no evidence', { evidence: [] }],
    ['rests on an answer from memory', { evidence: [against('answer-2', 'Gdynia')] }],
    ['only quotes what the draft says', { evidence: [against('draft', 'a mast of oak')] }],
    ['only quotes what the task asks', { evidence: [against('task', 'the mast')] }],
  ])('not when it %s: that is the memory of the judge', (_, change) => {
    expect(weighed(change)).toMatchObject({ counted: [], objections: [{ reason: 'no-source', sourced: false }] });
  });

  it.each([undefined, 'style', 'condition-2', 'schema', 'check:evidence'])(
    'not when its criterion is %s: that is taste',
    (criterion) => {
      expect(weighed({ criterion })).toMatchObject({
        counted: [],
        objections: [{ reason: 'no-criterion', sourced: true }],
      });
      expect(weighed({ criterion, evidence: [] })).toMatchObject({ objections: [{ sourced: false }] });
    },
  );

  it('beside others that do not, which make the verdict unusable only when they contradict it', () => {
    const counts = finding();
    const taste = finding({ criterion: 'style' });
    expect(isUnusable(weigh(verdict({ issues: [counts, taste] }), court))).toBe(false);
    expect(isUnusable(weigh(verdict({ issues: [taste] }), court))).toBe(true);
    expect(isUnusable(weigh(verdict({ issues: [counts, finding({ holds: false })] }), court))).toBe(true);
  });

  it('and names the observations to look at, those behind an answer included', () => {
    const evidence = [against('obs-1', '9 m'), against('answer-3', 'spruce'), against('task', 'the wood')];
    expect(issueOf(finding({ evidence }), answers)).toEqual({
      type: 'contradiction',
      detail: 'the wood is wrong (see obs-1, obs-2)',
      requiredAction: 'name the right one',
    });
  });
});
