/** Failures of taking the task apart: a condition or a part that nobody planned, or a plan that does not carry. */

import { readConstraint } from '../../../checks/constraints.ts';
import { formatIssues } from '../../../checks/format.ts';
import type { Plan } from '../../../core/task.ts';
import { containment, termsOf } from '../../../memory/tokens.ts';
import { Text, type Value } from '../expected-value.ts';
import type { Facts } from '../facts.ts';
import { at, type Finding, type TriageRule } from '../rule.ts';

export const invalidPlan: TriageRule = {
  name: 'invalid-plan',
  layer: 'decompose',
  symptom: 'unfit-plan',
  applies({ attempt: { ended }, events }) {
    if (ended.type !== 'fault' || ended.fault !== 'invalid-plan') return undefined;
    const told = events('plan.failed').at(-1);
    return {
      why: 'No usable plan came about, so nothing was tried.',
      evidence: [at(told?.id ?? 'attempt.ended', ended.detail)],
    };
  },
};

/** More steps than this are more than the planner is allowed by default. */
const longPlan = 8;

export const planTooLong: TriageRule = {
  name: 'plan-too-long',
  layer: 'decompose',
  symptom: 'unfit-plan',
  applies({ attempt: { ended, plan, degraded }, answer }) {
    if (ended.type !== 'limit' || ended.limit === 'no-progress' || !plan || (answer !== undefined && !degraded))
      return undefined;
    const open = plan.steps.filter(({ status }) => status === 'todo' || status === 'doing');
    if (plan.steps.length <= longPlan || open.length === 0) return undefined;
    const [next] = open;
    return {
      why: `The plan had ${plan.steps.length} steps; the limit ${ended.limit} came with ${open.length} of them still open.`,
      evidence: [at('attempt.ended', ended.detail), at(`plan.${next?.id}`, next?.objective ?? '')],
    };
  },
};

/** What the plan says it will mind: goal, constraints and steps. */
function planText({ goal, constraints, steps }: Plan): string {
  return [
    goal,
    ...constraints,
    ...steps.flatMap(({ objective, successCondition }) => [objective, successCondition]),
  ].join('\n');
}

/** Whether the plan names the condition, by most of its words. */
export function plans(plan: Plan, constraint: string): boolean {
  return containment(new Set(termsOf(constraint)), new Set(termsOf(planText(plan)))) >= mostWords;
}

const mostWords = 0.6;

/** Conditions on the form of the answer that it breaks, as code measures them. */
export function brokenConstraints({ answer, run }: Facts): { constraint: string; detail: string }[] {
  if (answer === undefined) return [];
  return (run.task.constraints ?? []).flatMap((constraint) => {
    const options = readConstraint(constraint);
    const [issue] = options === undefined ? [] : formatIssues(answer, options);
    return issue ? [{ constraint, detail: issue.detail }] : [];
  });
}

/** A condition of form is the cause where the answer is otherwise right, or nobody knows what is right. */
export const constraintMissed: TriageRule = {
  name: 'constraint-missed',
  layer: 'decompose',
  symptom: 'missed-constraints',
  applies(facts) {
    const { plan } = facts.attempt;
    const [broken] = brokenConstraints(facts).filter(({ constraint }) => !(plan && plans(plan, constraint)));
    if (!broken || !holdsRight(facts)) return undefined;
    return {
      why: `The answer breaks the condition "${broken.constraint}", which ${plan ? 'is in no step of the plan' : 'no plan kept in mind'}.`,
      evidence: [at('task.constraints', broken.constraint), at('answer', `${broken.detail}: ${facts.answer}`)],
    };
  },
};

/** The answer has the right value in it somewhere, or there is none to compare with. */
export function holdsRight({ answer, expected, sought, rightAnswer }: Facts): boolean {
  if (!expected || rightAnswer) return true;
  const text = new Text(answer ?? '');
  return (sought.length > 0 ? sought : expected.parts).every((part) => text.holds(part));
}

/** Two values were read in like lines; a condition of the task tells them apart, and the one that does not meet it was taken. */
export const constraintIgnored: TriageRule = {
  name: 'constraint-ignored',
  layer: 'decompose',
  symptom: 'missed-constraints',
  applies(facts) {
    const { plan } = facts.attempt;
    const taken = takenPlaces(facts);
    if (!taken) return undefined;
    const input = new Set(termsOf(facts.run.task.input));
    for (const constraint of facts.run.task.constraints ?? []) {
      const telling = termsOf(constraint).filter(
        (term) => !input.has(term) && taken.right.has(term) && !taken.wrong.has(term),
      );
      const planned = plan && telling.every((term) => termsOf(planText(plan)).includes(term));
      if (telling.length === 0 || planned) continue;
      return {
        why: `The value that was taken does not meet "${constraint}", which ${plan ? 'is in no step of the plan' : 'no plan kept in mind'}.`,
        evidence: [
          at('task.constraints', constraint),
          at(taken.where, taken.rightPlace),
          at('answer', facts.answer ?? ''),
        ],
      };
    }
    return undefined;
  },
};

interface Taken {
  where: string;
  rightPlace: string;
  right: ReadonlySet<string>;
  wrong: ReadonlySet<string>;
}

/** The terms of the line with the right value, and of those with the one that was taken. */
export function takenPlaces({ sought, given, holding, ok, rightAnswer }: Facts): Taken | undefined {
  const [value] = sought;
  const [source] = holding;
  if (rightAnswer || !value || !source || !given || sought.length > 1) return undefined;
  const wrong = ok.flatMap(({ text }) => text.placesOf(given));
  const [rightPlace] = source.text.placesOf(value);
  if (rightPlace === undefined || wrong.length === 0) return undefined;
  return {
    where: source.observation.id,
    rightPlace,
    right: new Set(termsOf(rightPlace)),
    wrong: new Set(wrong.flatMap(termsOf)),
  };
}

/** A task of several parts of which the answer gives some, and whose plan names nothing of the others. */
export const partMissed: TriageRule = {
  name: 'part-missed',
  layer: 'decompose',
  symptom: 'missed-constraints',
  applies(facts): Finding | undefined {
    const { expected, answer, attempt } = facts;
    if (!expected || answer === undefined || expected.parts.length < 2) return undefined;
    const text = new Text(answer);
    const missing = expected.parts.filter((part) => !text.holds(part));
    const kept = expected.parts.filter((part) => text.holds(part));
    const [first] = missing;
    if (!first || kept.length === 0) return undefined;
    const { plan } = attempt;
    const asked = questionsOf(facts.run.task.input).at(-1) ?? '';
    const about = tellingTerms(
      [...placesOf(first, facts), asked],
      kept.flatMap((part) => placesOf(part, facts)),
    );
    if (plan && about.some((term) => termsOf(planText(plan)).includes(term))) return undefined;
    return {
      why: `The answer leaves out ${missing.length} of ${expected.parts.length} parts; ${plan ? 'the plan has no step for it' : 'there was no plan'}.`,
      evidence: [at('task.input', asked), at('answer', answer)],
    };
  },
};

function placesOf(value: Value, { ok }: Facts): string[] {
  return ok.flatMap(({ text }) => text.placesOf(value));
}

/** Terms that all of the texts have and none of the others. */
function tellingTerms([first = '', ...rest]: readonly string[], others: readonly string[]): string[] {
  const elsewhere = new Set(others.flatMap(termsOf));
  return termsOf(first).filter((term) => !elsewhere.has(term) && rest.every((text) => termsOf(text).includes(term)));
}

/** The questions of an input that has several. */
function questionsOf(input: string): string[] {
  return input.split(/(?<=[?？])\s*/u).filter((part) => part.trim() !== '');
}

export const wrongOrder: TriageRule = {
  name: 'steps-in-wrong-order',
  layer: 'decompose',
  symptom: 'unfit-plan',
  applies({ attempt: { plan }, rightAnswer, events }) {
    if (!plan || rightAnswer) return undefined;
    const done = events('plan.updated').filter(({ status }) => status === 'done');
    for (const [index, event] of done.entries()) {
      const place = plan.steps.findIndex(({ id }) => id === event.step);
      const before = new Set(done.slice(0, index).map(({ step }) => step));
      const skipped = plan.steps
        .slice(0, place)
        .find(({ id, needsExternalInfo }) => needsExternalInfo && !before.has(id));
      const later = skipped && done.find(({ step }) => step === skipped.id);
      if (!skipped || !later) continue;
      return {
        why: `Step ${event.step} was done before step ${skipped.id}, whose result it rests on.`,
        evidence: [at(event.id, `${event.step} done`), at(later.id, `${skipped.id} done later: ${skipped.objective}`)],
      };
    }
    return undefined;
  },
};
