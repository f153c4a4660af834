/** Failures that nothing checked: claims, conclusions and conditions of which the trace itself shows that they do not hold. */
import { containment, termsOf } from '../../../memory/tokens.ts';
import { codeFindings } from '../code-findings.ts';
import { isLabel } from '../expected-value.ts';
import { at, type TriageRule } from '../rule.ts';
import { isEmptyResult, looksUp } from '../signs.ts';
import { brokenConstraints, holdsRight, plans } from './decompose.ts';
import { aboutEvidence, isOffEvidence, passedBy } from './verdicts.ts';

export const constraintUnchecked: TriageRule = {
  name: 'constraint-unchecked',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const { plan } = facts.attempt;
    const [broken] = brokenConstraints(facts).filter(({ constraint }) => plan && plans(plan, constraint));
    if (!broken || !holdsRight(facts)) return undefined;
    const passed = passedBy(facts);
    return {
      why: `The plan knew the condition "${broken.constraint}", the answer breaks it, and ${passed ? `${passed.by} passed it` : 'nothing checked it'}.`,
      evidence: [at('plan', broken.constraint), at('answer', `${broken.detail}: ${facts.answer}`)],
    };
  },
};

export const shapeUnchecked: TriageRule = {
  name: 'shape-unchecked',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const [wrong] = codeFindings(facts, ['schema']);
    if (!wrong) return undefined;
    return {
      why: 'The answer does not have the shape that was asked for, and nothing checked it.',
      evidence: [at('answer', wrong.detail)],
    };
  },
};

export const offEvidence: TriageRule = {
  name: 'answer-against-evidence',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const right = isOffEvidence(facts);
    if (!right) return undefined;
    return {
      why: 'What was read holds the right value; the answer gives one that stands nowhere, and nothing checked it.',
      evidence: [right, at('answer', facts.answer ?? '')],
    };
  },
};

/** Claims that cite what is not there, or say what their words do not. */
export const unsupportedClaim: TriageRule = {
  name: 'unsupported-claim',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    if (facts.answer === undefined || passedBy(facts)) return undefined;
    const [wrong] = codeFindings(
      facts,
      facts.attempt.claims.length > 0 ? [...aboutEvidence, 'references', 'testLog'] : ['testLog'],
    );
    if (!wrong) return undefined;
    return {
      why: 'What the answer claims is not carried by its evidence, and nothing checked it.',
      evidence: [
        at(wrong.claim === undefined ? 'answer' : 'claims', `${wrong.claim ?? facts.answer}: ${wrong.detail}`),
      ],
    };
  },
};

/** A recorded run that read something and claims nothing; a pasted trace has no claims to ask for. */
export const noClaims: TriageRule = {
  name: 'no-claims',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    if (facts.answer === undefined || facts.attempt.claims.length > 0 || facts.events('run.start').length === 0)
      return undefined;
    const [missing] = codeFindings(facts, ['evidence']);
    if (!missing || passedBy(facts)) return undefined;
    return {
      why: 'Nothing ties the answer to what was read, and nothing checked it.',
      evidence: [at('claims', missing.detail)],
    };
  },
};

/** A verdict or a choice that what was read does not bear out: the values stand in the task, so no text shows which is right. */
export const wrongConclusion: TriageRule = {
  name: 'wrong-conclusion',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const { answer, expected, rightAnswer, sought, taskText, attempt } = facts;
    const [wanted] = expected?.parts ?? [];
    const read = facts.ok.filter((seen) => looksUp(seen) && !isEmptyResult(seen));
    if (answer === undefined || rightAnswer || !wanted || sought.length > 0 || read.length === 0) return undefined;
    const chosen = isLabel(wanted.text) ? isLabel(answer) : taskText.holds(wanted);
    if (!chosen) return undefined;
    const passed = passedBy(facts);
    const asked =
      attempt.reports.length > 0
        ? passed
          ? `${passed.by} passed it`
          : 'the objections did not mend it'
        : 'nothing checked it';
    return {
      why: `The answer draws from what was read a conclusion that it does not bear out, and ${asked}.`,
      evidence: [
        at('answer', answer),
        at('task.expected', wanted.text),
        ...read.slice(-2).map(({ observation }) => at(observation.id, observation.content)),
      ],
    };
  },
};

/** The answer is a part of what was expected, or has more in it: right as far as it goes. */
export const nearlyRight: TriageRule = {
  name: 'nearly-right',
  layer: 'verify',
  symptom: 'improvable-draft',
  applies({ answer, expected, given, rightAnswer }) {
    const [wanted, more] = expected?.parts ?? [];
    if (answer === undefined || rightAnswer || !wanted || more || !given) return undefined;
    if (isLabel(wanted.text) || wanted.number !== undefined || given.number !== undefined) return undefined;
    const [said, right] = [new Set(termsOf(given.text)), new Set(termsOf(wanted.text))];
    if (said.size > longestNear || containment(said, right) < 1) return undefined;
    return {
      why: 'The answer is right as far as it goes: it says less than was expected, or more. The grader may be stricter than the task.',
      evidence: [at('answer', answer), at('task.expected', wanted.text)],
    };
  },
};

/** A longer answer has every word of the expected one in it by chance. */
const longestNear = 12;

/** The figures that were expected, in a sentence that says something else of them. */
export const wordsUnchecked: TriageRule = {
  name: 'figures-right-words-not',
  layer: 'verify',
  symptom: 'no-evidence',
  applies(facts) {
    const { answer, expected, sought, rightAnswer } = facts;
    const [wanted] = expected?.parts ?? [];
    if (answer === undefined || rightAnswer || !wanted || wanted.number !== undefined) return undefined;
    if (!sought.some(({ number }) => number !== undefined) || !holdsRight(facts)) return undefined;
    const passed = passedBy(facts);
    return {
      why: `The figures of the answer are right, what it says of them is not, and ${passed ? `${passed.by} passed it` : 'nothing checked the words'}.`,
      evidence: [at('answer', answer), at('task.expected', wanted.text)],
    };
  },
};

/** Nothing else is wrong with an answer that gives the right value. */
export const otherWords: TriageRule = {
  name: 'right-in-other-words',
  layer: 'verify',
  symptom: 'improvable-draft',
  applies({ answer, run, rightAnswer }) {
    if (answer === undefined || !rightAnswer) return undefined;
    return {
      why: 'The answer gives what was expected and was still failed: in other words, with more said, or for a reason the trace does not show.',
      evidence: [at('answer', answer), ...(run.grade ? [at('grade', run.grade.why)] : [])],
    };
  },
};
