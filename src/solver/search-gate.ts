import type { Knowledge } from '../core/attempt.ts';

/** The three questions to ask before several ways are paid for. */
export interface SearchAnswers {
  /**
   * Are there several meaningful paths? `none`: one obvious way. `whole`: ways that differ from start to end. `partial`: steps that can be
   * right or wrong, and from which one has to be able to come back.
   */
  paths: 'none' | 'whole' | 'partial';
  /**
   * Is there a better evaluator than the model's liking? What it knows, `answers` where answers can be compared with each other (a number, a
   * choice, a set), or `self` for nothing better.
   */
  evaluator: Knowledge | 'answers';
  /** Does the cost of an error pay for several times the cost of one attempt? */
  errorPays: boolean;
}

/** What to use, and why. */
export interface SearchAdvice {
  use: boolean;
  method: 'one-attempt' | 'self-consistency' | 'reflexion' | 'tree-of-thoughts';
  reasons: string[];
}

/**
 * Whether several ways are worth their cost, and by which method: self-consistency where answers can be compared, whole trials where
 * something outside judges whole attempts, a tree where it judges steps. One attempt unless all three answers are yes.
 */
export function adviseSearch(answers: SearchAnswers): SearchAdvice {
  const against = reasonsAgainst(answers);
  if (against.length > 0) return { use: false, method: 'one-attempt', reasons: against };
  const { paths, evaluator } = answers;
  if (evaluator === 'answers') {
    const reasons = ['several answers can be drawn and compared: the majority is better than one of them'];
    if (paths === 'partial')
      reasons.push('nothing judges a step on the way, so that a search over steps would go by liking');
    return { use: true, method: 'self-consistency', reasons };
  }
  return paths === 'partial'
    ? {
        use: true,
        method: 'tree-of-thoughts',
        reasons: [`steps can be right or wrong, and ${knowing[evaluator]} can judge them: search, prune and come back`],
      }
    : {
        use: true,
        method: 'reflexion',
        reasons: [
          `whole attempts differ, and ${knowing[evaluator]} can judge them: try again with what went wrong in view`,
        ],
      };
}

function reasonsAgainst({ paths, evaluator, errorPays }: SearchAnswers): string[] {
  return [
    ...(paths === 'none' ? ['there is one obvious way: several attempts would take it several times'] : []),
    ...(evaluator === 'self'
      ? [
          "nothing judges better than the model's own liking: the choice among several ways would be no better than the first",
        ]
      : []),
    ...(errorPays ? [] : ['an error costs less than several attempts do']),
  ];
}

const knowing: Record<Knowledge, string> = {
  tests: 'tests',
  rules: 'rules in code',
  schema: 'a schema',
  reference: 'a reference',
  'another-model': 'another model',
  self: 'the model itself',
};
