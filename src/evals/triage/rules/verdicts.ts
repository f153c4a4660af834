/** Failures of a verification that ran: it passed what is wrong by code, objected to what was right, or could not be asked. */
import type { Report } from '../../../core/attempt.ts';
import type { LabelEvidence } from '../../findings.ts';
import { codeFindings } from '../code-findings.ts';
import type { Facts } from '../facts.ts';
import { at, type TriageRule } from '../rule.ts';
import { holdsRight } from './decompose.ts';
import { lostDraft } from './search.ts';

/** Objections by which the verifier says that the value itself is wrong. */
const aboutTheValue: ReadonlySet<string> = new Set(['contradiction', 'wrong_computation']);

export const falseObjection: TriageRule = {
  name: 'false-objection',
  layer: 'verify',
  symptom: 'false-objection',
  applies(facts) {
    const lost = lostDraft(facts);
    const report = lost?.reports.find(({ report: { issues } }) => issues.some(({ type }) => aboutTheValue.has(type)));
    const issue = report?.report.issues.find(({ type }) => aboutTheValue.has(type));
    if (!lost || !report || !issue) return undefined;
    return {
      why: 'The draft was right; the verifier objected to its value, and the revision followed it.',
      evidence: [at(lost.draft.id, lost.draft.answer), at(report.id, `${report.report.by}: ${issue.detail}`)],
    };
  },
};

/** The last verdict on the answer, with where it stands. */
function lastVerdict({ attempt, events }: Facts): { report: Report; where: string } | undefined {
  const report = attempt.reports.at(-1);
  if (!report) return undefined;
  const told = events('verify.report').at(-1);
  return { report, where: told?.id ?? `reports.${attempt.reports.length - 1}` };
}

/** The verdict that let the answer through. */
export function passedBy(facts: Facts): { where: string; by: string } | undefined {
  const last = lastVerdict(facts);
  return last?.report.verdict === 'pass' ? { where: last.where, by: last.report.by } : undefined;
}

export const passedWrongComputation: TriageRule = {
  name: 'passed-wrong-computation',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const passed = passedBy(facts);
    const [wrong] = passed ? codeFindings(facts, ['arithmetic']) : [];
    if (!passed || !wrong) return undefined;
    return {
      why: `A wrong computation was passed by ${passed.by}.`,
      evidence: [at(passed.where, `${passed.by}: pass`), at('answer', wrong.detail)],
    };
  },
};

export const aboutEvidence: readonly string[] = ['evidence', 'quotes', 'support', 'consistency'];

export const passedUnsupported: TriageRule = {
  name: 'passed-unsupported-claim',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const passed = passedBy(facts);
    const [wrong] =
      passed && !facts.rightAnswer
        ? codeFindings(facts, facts.unsupported.length > 0 ? aboutEvidence : ['support'])
        : [];
    if (!passed || !wrong) return undefined;
    return {
      why: `A claim that its evidence does not carry was passed by ${passed.by}.`,
      evidence: [
        at(passed.where, `${passed.by}: pass`),
        at('claims', `${wrong.claim ?? facts.answer}: ${wrong.detail}`),
      ],
    };
  },
};

export const passedOffEvidence: TriageRule = {
  name: 'passed-against-evidence',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const passed = passedBy(facts);
    const right = isOffEvidence(facts);
    if (!passed || !right) return undefined;
    return {
      why: `What was read holds another value than the answer, and ${passed.by} passed it.`,
      evidence: [at(passed.where, `${passed.by}: pass`), right, at('answer', facts.answer ?? '')],
    };
  },
};

/** The result that holds the right value, where the answer's value stands in nothing that was read. */
export function isOffEvidence(facts: Facts): LabelEvidence | undefined {
  const { holding, sought, given, ok, answer } = facts;
  const [right] = holding;
  const [value] = sought;
  if (!right || !value || answer === undefined || holdsRight(facts)) return undefined;
  if (given && ok.some(({ text }) => text.holds(given))) return undefined;
  return at(right.observation.id, right.text.placesOf(value)[0] ?? right.observation.content);
}

export const verifierUnchecked: TriageRule = {
  name: 'verifier-unchecked',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const last = lastVerdict(facts);
    if (last?.report.verdict !== 'unchecked' || facts.rightAnswer) return undefined;
    const said = last.report.issues[0]?.detail ?? 'it could not be asked';
    return {
      why: `Nobody looked at the answer: ${last.report.by} could not be asked.`,
      evidence: [at(last.where, said)],
    };
  },
};

/** The verifier did its work and the run ended all the same: there was no revision, or none that mended it. */
export const leftUnmended: TriageRule = {
  name: 'objection-left-open',
  layer: 'verify',
  symptom: 'improvable-draft',
  applies(facts) {
    const last = lastVerdict(facts);
    if (!last || facts.answer === undefined || (last.report.verdict !== 'revise' && last.report.verdict !== 'fail'))
      return undefined;
    const [issue] = last.report.issues;
    return {
      why: `${last.report.by} named a fault, and the answer was handed over ${facts.attempt.revisions > 0 ? `after ${facts.attempt.revisions} revision(s)` : 'without a revision'}.`,
      evidence: [at(last.where, issue?.detail ?? last.report.verdict)],
    };
  },
};
