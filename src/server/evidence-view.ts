/** The claims of an answer with the places of their quotes, by the code that also checks them. */
import { arithmetic } from '../checks/arithmetic.ts';
import type { Check } from '../checks/check.ts';
import { isComputation, resultOf } from '../checks/computations.ts';
import { evidence } from '../checks/evidence.ts';
import { findQuote, type TextSpan } from '../checks/find-quote.ts';
import { isCarried, numberSource } from '../checks/numbers.ts';
import { quantitiesIn } from '../checks/quantities.ts';
import { quotes } from '../checks/quotes.ts';
import type { Attempt, Claim, Issue, Observation } from '../core/attempt.ts';
import type { Result } from '../core/result.ts';
import type { Task } from '../core/task.ts';

/** `recomputed`: a number of the claim comes out of a computation that the program did. `unsupported`: code objects to it. */
export type ClaimState = 'supported' | 'recomputed' | 'unsupported';

export interface CitedQuote {
  observation: string;
  /** The path of the attempt that made the observation; absent when there is no such observation. */
  path?: string;
  quote: string;
  /** Where it stands in the observation's content; empty when it does not. */
  spans: TextSpan[];
}

export interface ClaimView {
  text: string;
  state: ClaimState;
  evidence: CitedQuote[];
  /** What code, and what the last judge, said of this claim. */
  issues: Issue[];
}

export interface EvidenceView {
  claims: ClaimView[];
  /** Open issues that are of no one claim. */
  issues: Issue[];
}

const byCode: readonly Check[] = [evidence, quotes, arithmetic];

/** The evidence of a Result's answer. Nothing when it has no answer. */
export async function evidenceView({ attempt, answer }: Result, task: Task): Promise<EvidenceView> {
  if (answer === undefined) return { claims: [], issues: [] };
  const found = await issuesOf(attempt, task);
  const named = new Set(attempt.claims.map(({ text }) => text));
  return {
    claims: attempt.claims.map((claim) => viewOf(claim, attempt.observations, found)),
    issues: found.reported.filter(({ claim }) => claim === undefined || !named.has(claim)),
  };
}

interface FoundIssues {
  byCode: Issue[];
  reported: Issue[];
}

async function issuesOf(attempt: Attempt, task: Task): Promise<FoundIssues> {
  // A check of these is pure: it needs no step.
  const step = (): never => {
    throw new Error('a pure check asked for a step');
  };
  const lists = await Promise.all(byCode.map((check) => check.run(attempt, task, { step })));
  return { byCode: lists.flat(), reported: attempt.reports.at(-1)?.issues ?? [] };
}

function viewOf(claim: Claim, observations: readonly Observation[], found: FoundIssues): ClaimView {
  const ofClaim = (issue: Issue): boolean => issue.claim === claim.text;
  const objections = found.byCode.filter(ofClaim);
  const others = found.reported.filter(
    (issue) => ofClaim(issue) && !objections.some(({ detail }) => detail === issue.detail),
  );
  const issues = [...objections, ...others];
  return {
    text: claim.text,
    state: stateOf(claim, observations, issues),
    evidence: cited(claim, observations),
    issues,
  };
}

function cited({ evidence: all }: Claim, observations: readonly Observation[]): CitedQuote[] {
  return all.map(({ observation: id, quote }) => {
    const seen = observations.find((observation) => observation.id === id);
    const spans = seen?.status === 'ok' ? findQuote(quote, seen.content) : undefined;
    return { observation: id, ...(seen && { path: seen.path }), quote, spans: spans ?? [] };
  });
}

function stateOf(claim: Claim, observations: readonly Observation[], issues: readonly Issue[]): ClaimState {
  if (claim.evidence.length === 0 || issues.length > 0) return 'unsupported';
  const results = observations.filter(isComputation).map((seen) => numberSource(resultOf(seen)));
  const isResult = quantitiesIn(claim.text).some(({ number }) => isCarried(results, number));
  return isResult ? 'recomputed' : 'supported';
}
