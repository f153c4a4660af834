/**
 * What the verifier says of a draft, and which of it counts. Decided by code, on validated data:
 *
 * 1. A verdict that contradicts itself or its own evidence is no verdict.
 * 2. An issue that names no criterion of the task is a matter of taste. Checks are no criteria here: code ran them, and they passed.
 * 3. An issue that rests on no source of the run is the judge's memory, which the run's evidence outranks.
 */
import * as z from 'zod';
import { significantLength, standsIn } from '../../checks/quote-text.ts';
import type { Claim, Issue, Observation } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';

/** A verification question with its answer. */
export interface AnsweredQuestion {
  question: string;
  answer: string;
  /** Quotes that stand in the sources; without any, the answer is the verifier's memory. */
  evidence: Claim['evidence'];
  /** Factor+revise only, and only where there is evidence. */
  crossCheck?: { relation: 'consistent' | 'inconsistent' | 'unclear'; why: string } | undefined;
}

/** What an issue may say is not met. */
export interface Criterion {
  id: string;
  text: string;
}

interface CitedWords {
  source: string;
  quote: string;
  /** Of the draft. */
  speaks: 'for' | 'against';
}

/** An issue as the verifier writes it. `failed_check` is missing: it is the word of code. */
export interface Finding extends Issue {
  type: Exclude<Issue['type'], 'failed_check'>;
  criterion?: string | undefined;
  evidence: CitedWords[];
  /** Whether the draft as it stands has the fault. */
  holds: boolean;
}

export interface Verdict {
  verdict: 'pass' | 'revise' | 'fail';
  issues: Finding[];
  needsMoreTools: boolean;
}

const Finding: z.ZodType<Finding> = z.object({
  type: z.enum(['unsupported_claim', 'missed_constraint', 'contradiction', 'incomplete', 'wrong_computation']),
  detail: z.string().min(1),
  requiredAction: z.string().min(1),
  claim: z.string().optional().describe('the text of the claim it is about'),
  criterion: z.string().optional().describe('the id of the criterion that is not met'),
  evidence: z
    .array(
      z.object({
        source: z.string().describe('task, draft, obs-1, answer-1 …'),
        quote: z.string().describe('word for word'),
        speaks: z.enum(['for', 'against']).default('against').describe('for or against the draft'),
      }),
    )
    .default([]),
  holds: z.boolean().default(true).describe('whether the draft as it stands has this fault'),
});

export const Verdict: z.ZodType<Verdict> = z.object({
  verdict: z.enum(['pass', 'revise', 'fail']),
  issues: z.array(Finding).default([]),
  needsMoreTools: z.boolean().default(false),
});

/** What a verdict is measured by. */
export interface Court {
  criteria: readonly Criterion[];
  claims: readonly Claim[];
  answers: readonly AnsweredQuestion[];
  /** The texts that may be cited, by name. */
  sources: ReadonlyMap<string, string>;
}

export function courtOf(
  claims: readonly Claim[],
  brief: Brief,
  facts: { draft: string; observations: readonly Observation[]; answers: readonly AnsweredQuestion[] },
): Court {
  const { task, objective = '' } = brief;
  return {
    criteria: criteriaOf(brief),
    claims,
    answers: facts.answers,
    sources: new Map([
      ['task', [task.input, ...task.constraints, objective].join('\n')],
      ['draft', facts.draft],
      ...facts.observations.map(({ id, content }) => [id, content] as const),
      ...facts.answers.map(({ answer }, index) => [`answer-${index + 1}`, answer] as const),
    ]),
  };
}

function criteriaOf({ task, objective }: Brief): Criterion[] {
  const shaped = task.outputSchema !== undefined && objective === undefined;
  return [
    { id: 'task', text: 'the draft answers what is asked, all of it' },
    ...task.constraints.map((text, index) => ({ id: `condition-${index + 1}`, text })),
    ...(shaped
      ? [{ id: 'schema', text: 'the draft is a value of the output schema, with the meaning it asks for' }]
      : []),
    { id: 'sources', text: 'what the draft says agrees with the sources, and they carry it' },
  ];
}

/** Why an issue does not count. */
export interface Objection {
  finding: Finding;
  reason: 'contradiction' | 'no-criterion' | 'no-source';
  why: string;
  /** It quotes a source of the run against the draft all the same. */
  sourced: boolean;
}

export interface Weighed {
  /** What is wrong with the verdict as a whole. */
  contradictions: string[];
  counted: Finding[];
  objections: Objection[];
}

/** What of a verdict counts. */
export function weigh(said: Verdict, court: Court): Weighed {
  const counted: Finding[] = [];
  const objections: Objection[] = [];
  for (const finding of said.issues) {
    const objection = objectionTo(finding, court);
    if (objection) objections.push({ finding, ...objection });
    else counted.push(finding);
  }
  return { contradictions: contradictionsOf(said, court), counted, objections };
}

/** Everything that is wrong with it, in words for the verifier. */
export function faultsOf({ contradictions, objections }: Weighed): string[] {
  return [...contradictions, ...objections.map(({ finding, why }) => `the issue "${finding.detail}" ${why}`)];
}

/** Whether nothing can be made of the verdict as it is. */
export function isUnusable({ contradictions, counted, objections }: Weighed): boolean {
  const contradictory = objections.some(({ reason }) => reason === 'contradiction');
  return contradictions.length > 0 || contradictory || (counted.length === 0 && objections.length > 0);
}

function contradictionsOf({ verdict, issues, needsMoreTools }: Verdict, { answers }: Court): string[] {
  if ((verdict === 'pass') !== (issues.length === 0))
    return ['pass goes with no issues; revise and fail name at least one'];
  if (verdict !== 'pass') return [];
  const unlike = answers.flatMap(({ crossCheck }, index) =>
    crossCheck?.relation === 'inconsistent'
      ? [
          `the cross-check found the draft inconsistent with answer-${index + 1} (${crossCheck.why}), and the verdict is pass`,
        ]
      : [],
  );
  return needsMoreTools ? [...unlike, 'the verdict is pass, and yet needsMoreTools is set'] : unlike;
}

function objectionTo(finding: Finding, court: Court): Omit<Objection, 'finding'> | undefined {
  const contradiction = selfContradiction(finding, court);
  if (contradiction) return { reason: 'contradiction', why: contradiction, sourced: false };
  const sourced = restsOnSource(finding, court);
  if (!court.criteria.some(({ id }) => id === finding.criterion)) {
    const ids = court.criteria.map(({ id }) => id).join(', ');
    return { reason: 'no-criterion', why: `names no criterion of the task; the criteria are ${ids}`, sourced };
  }
  if (sourced) return undefined;
  const why = 'rests on no source of this run: quote one that speaks against the draft, or leave it out';
  return { reason: 'no-source', why, sourced };
}

function selfContradiction(finding: Finding, { sources, answers, claims }: Court): string | undefined {
  const { evidence } = finding;
  if (!finding.holds) return 'does not hold of the draft as it stands, so it is no issue';
  for (const { source, quote } of evidence) {
    const text = sources.get(source);
    if (text === undefined)
      return `cites ${JSON.stringify(source)}, which does not exist; there are ${[...sources.keys()].join(', ')}`;
    if (significantLength(quote) === 0 || !standsIn(quote, text))
      return `cites ${JSON.stringify(quote)}, which does not stand in ${source}`;
  }
  if (evidence.length > 0 && evidence.every(({ speaks }) => speaks === 'for'))
    return 'cites only what speaks for the draft';
  if (!isAboutFacts(finding)) return undefined;
  const against = evidence.filter(({ speaks }) => speaks === 'against');
  const agrees = (source: string): boolean => answerNamed(source, answers)?.crossCheck?.relation === 'consistent';
  if (against.length > 0 && against.every(({ source }) => agrees(source)))
    return 'cites only answers that the cross-check found consistent with the draft';
  const claim = claims.find(({ text }) => text === finding.claim);
  if (claim && against.some(({ source, quote }) => source !== 'draft' && standsIn(claim.text, quote)))
    return 'cites the very words of the claim it is about';
  return undefined;
}

function isAboutFacts({ type }: Finding): boolean {
  return type === 'unsupported_claim' || type === 'contradiction';
}

function answerNamed(source: string, answers: readonly AnsweredQuestion[]): AnsweredQuestion | undefined {
  return answers.find((_, index) => source === `answer-${index + 1}`);
}

/**
 * An observation, or an answer that rests on one, carries every issue. What is missing or miscomputed may also be shown by the words of the
 * task, and the draft itself shows a wrong computation, or two places of it that contradict each other.
 */
function restsOnSource(finding: Finding, { answers }: Court): boolean {
  const against = finding.evidence.filter(({ speaks }) => speaks === 'against');
  const places = new Set(against.filter(({ source }) => source === 'draft').map(({ quote }) => quote));
  if (places.size > 1 && finding.type === 'contradiction') return true;
  if (places.size > 0 && finding.type === 'wrong_computation') return true;
  return against.some(({ source }) => {
    if (source === 'draft') return false;
    if (source === 'task') return !isAboutFacts(finding);
    const answer = answerNamed(source, answers);
    return answer === undefined || answer.evidence.length > 0;
  });
}

/** The issue as the rest of the program knows it, with the observations to look at. */
export function issueOf(
  { type, detail, requiredAction, claim, evidence }: Finding,
  answers: readonly AnsweredQuestion[],
): Issue {
  const cited = evidence.flatMap(
    ({ source }) => answerNamed(source, answers)?.evidence.map(({ observation }) => observation) ?? [source],
  );
  const seen = [...new Set(cited)].filter((source) => source.startsWith('obs-'));
  return {
    type,
    detail: seen.length > 0 ? `${detail} (see ${seen.join(', ')})` : detail,
    requiredAction,
    ...(claim !== undefined && { claim }),
  };
}
