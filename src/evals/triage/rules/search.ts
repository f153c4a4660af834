/** Failures of choosing: the right answer was there and was not chosen, or a wrong way was not left. */
import { givesAll, Text } from '../expected-value.ts';
import type { EventOf, Facts } from '../facts.ts';
import { at, type TriageRule } from '../rule.ts';
import { isEmptyResult, leavesOpen, looksUp } from '../signs.ts';

export const voteLost: TriageRule = {
  name: 'vote-lost',
  layer: 'search',
  symptom: 'right-answer-not-chosen',
  applies({ expected, rightAnswer, events }) {
    const vote = events('vote.made').at(-1);
    if (!vote || !expected || rightAnswer) return undefined;
    const samples = events('sample.end');
    const right = samples.filter(({ answer }) => givesAll(answer, expected));
    const [first] = right;
    if (!first) return undefined;
    return {
      why: `${right.length} of ${samples.length} samples were right, and the vote chose another answer.`,
      evidence: [at(first.id, first.answer), at(vote.id, `winner: ${vote.winner} (by ${vote.by})`)],
    };
  },
};

/** An earlier draft that was right, and what was said against it before the next one. */
export function lostDraft(
  facts: Facts,
): { draft: EventOf<'answer.drafted'>; reports: EventOf<'verify.report'>[] } | undefined {
  const { expected, rightAnswer, run, events } = facts;
  if (!expected || rightAnswer) return undefined;
  const drafts = events('answer.drafted');
  const index = drafts.findLastIndex(({ answer }) => givesAll(answer, expected));
  const draft = drafts[index];
  if (!draft) return undefined;
  const [from, to] = [draft, drafts[index + 1]].map((one) => (one ? run.events.indexOf(one) : run.events.length));
  const between = run.events.slice(from, to);
  return { draft, reports: between.filter((event) => event.type === 'verify.report') };
}

export const rightDraftLost: TriageRule = {
  name: 'right-draft-lost',
  layer: 'search',
  symptom: 'revision-made-worse',
  applies(facts) {
    const lost = lostDraft(facts);
    if (!lost) return undefined;
    return {
      why: 'An earlier draft was right, and a revision or a later trial took its place.',
      evidence: [at(lost.draft.id, lost.draft.answer), at('answer', facts.answer ?? '(none)')],
    };
  },
};

export const rightBranchPruned: TriageRule = {
  name: 'right-branch-pruned',
  layer: 'search',
  symptom: 'right-answer-not-chosen',
  applies({ sought, rightAnswer, events }) {
    if (sought.length === 0 || rightAnswer) return undefined;
    const right = events('search.node').findLast(({ state }) => sought.every((value) => new Text(state).holds(value)));
    if (!right) return undefined;
    const end = events('search.end').at(-1);
    return {
      why: `The search reached a state with the right answer and ${right.verdict === 'pruned' ? 'pruned it' : 'chose another'}.`,
      evidence: [
        at(right.id, `${right.state} (value ${right.value}, ${right.verdict})`),
        ...(end ? [at(end.id, `best: ${end.best}`)] : []),
      ],
    };
  },
};

export const failedStepLeft: TriageRule = {
  name: 'failed-step-left',
  layer: 'search',
  symptom: 'wrong-early-choice',
  applies({ attempt: { plan }, rightAnswer, events }) {
    if (rightAnswer || !plan) return undefined;
    const index = plan.steps.findIndex(({ status }) => status === 'failed');
    const step = plan.steps[index];
    if (!step || !plan.steps.slice(index + 1).some(({ status }) => status === 'done')) return undefined;
    const told = events('plan.updated').findLast((event) => event.step === step.id);
    return {
      why: `Step ${step.id} of the plan failed, was not tried another way, and the run went on without it.`,
      evidence: [at(told?.id ?? `plan.${step.id}`, `${step.objective}: failed`)],
    };
  },
};

/** Lookups after which giving up is early. */
const few = 2;

export const gaveUpEarly: TriageRule = {
  name: 'gave-up-early',
  layer: 'search',
  symptom: 'wrong-early-choice',
  applies({ answer, rightAnswer, holding, ok }) {
    if (answer === undefined || rightAnswer || !leavesOpen(answer)) return undefined;
    const lookups = ok.filter(looksUp);
    const [last] = lookups.slice(-1);
    if (!last || lookups.length > few || holding.length > 0) return undefined;
    const empty = isEmptyResult(last) ? ', which found nothing' : '';
    return {
      why: `The run gave up after ${lookups.length} lookup(s)${empty}; no other way was tried.`,
      evidence: [at('answer', answer), at(last.observation.id, last.observation.content)],
    };
  },
};
