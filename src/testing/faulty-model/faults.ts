/**
 * Where a fault shows. `draft`: in what is said, made from the facts of the task. `citation`: in how a right draft is backed. `act`: in
 * what is done on the way. `plan`: in the plan.
 */
export type FaultPlace = 'draft' | 'citation' | 'act' | 'plan';

/** The faults that a simulated actor can commit. */
export const faultPlaces = {
  /** Cites an observation that does not exist. */
  'fabricated-observation': 'citation',
  /** Quotes words that the source does not hold. */
  'quote-not-in-source': 'citation',
  /** Makes no claims, so that nothing ties the answer to what was read. */
  'missing-claims': 'citation',
  /** Quotes rightly and states a number that stands nowhere. */
  'wrong-claim-number': 'draft',
  /** The same, after the wrong number was put through the calculator. */
  'laundered-number': 'draft',
  /** Quotes rightly and states the number of another row of the same source. */
  'wrong-row': 'draft',
  /** Quotes rightly and states in words what the quote does not say. */
  'wrong-claim-words': 'draft',
  /** States a wrong result of a computation. */
  'arithmetic-slip': 'draft',
  /** The claims are right and the answer states another number. */
  'answer-off-claims': 'draft',
  /** The answer breaks a condition of the task. */
  'dropped-constraint': 'draft',
  /** Two claims state different values of one thing. */
  contradiction: 'draft',
  /** Takes what a newer source has replaced. */
  'stale-value': 'draft',
  /** States a right number with a wrong unit. */
  'unit-slip': 'draft',
  /** States a computed number with a unit that no source states. */
  'wrong-derived-unit': 'draft',
  /** Says what text in a document told it to say. */
  'injection-in-answer': 'draft',
  /** Reports tests that were never run, of a function that fails them. */
  'forged-test-log': 'draft',
  /** The answer does not have the shape that was asked for. */
  'wrong-schema': 'draft',
  /** Answers from memory, before anything was looked up. */
  'answer-before-acting': 'act',
  /** Makes a call that failed again and again. */
  'repeated-failing-call': 'act',
  /** Makes the call that text in a document asks for. */
  'injection-calls-tool': 'act',
  /** Calls a tool that does not exist. */
  'invented-tool': 'act',
  /** Gives a tool an argument it does not take. */
  'unknown-argument': 'act',
  /** Says nothing. */
  'empty-reply': 'act',
  /** Answers beside a call whose result it has not read. */
  'premature-final': 'act',
  /** The arguments of the final answer break off. */
  'truncated-json': 'act',
  /** Plans more steps than are allowed. */
  'over-long-plan': 'plan',
} as const;

export type FaultName = keyof typeof faultPlaces;

// The keys of a const object are its names.
export const faultNames: readonly FaultName[] = Object.keys(faultPlaces) as FaultName[];
