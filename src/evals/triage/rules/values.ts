/** Failures of acting: values that are computed wrongly, taken from the wrong place, or never looked up. */
import { isComputation, resultOf } from '../../../checks/computations.ts';
import { type Quantity, quantitiesIn } from '../../../checks/quantities.ts';
import { codeFindings } from '../code-findings.ts';
import { figuresOf, Text } from '../expected-value.ts';
import type { Facts } from '../facts.ts';
import { at, type TriageRule } from '../rule.ts';
import { leavesOpen, looksUp } from '../signs.ts';

export const wrongComputation: TriageRule = {
  name: 'wrong-computation',
  layer: 'act',
  symptom: 'wrong-maths-or-code',
  applies(facts) {
    const [wrong] = codeFindings(facts, ['arithmetic']);
    if (!wrong) return undefined;
    return {
      why: 'A computation in the answer is wrong.',
      evidence: [at(wrong.claim === undefined ? 'answer' : 'claims', wrong.detail)],
    };
  },
};

const program = /```|\bfunction\b|\bdef \w+\(|=>/;
const tests =
  /\b(?:tests?|assert\w*|examples?) .{0,40}(?:fail|pass|rais|threw|error)|(?:failed|passed) \w* ?tests?|\d+ of \d+ tests|测试/i;

export const wrongCode: TriageRule = {
  name: 'wrong-code',
  layer: 'act',
  symptom: 'wrong-maths-or-code',
  applies({ answer, run, rightAnswer, attempt: { ended } }) {
    if (ended.type === 'fault' && ended.fault === 'invalid-answer' && /program/.test(ended.detail))
      return {
        why: 'The programs that were to give the answer failed.',
        evidence: [at('attempt.ended', ended.detail)],
      };
    const why = run.grade?.why ?? run.error ?? '';
    if (answer === undefined || rightAnswer || !program.test(answer) || !tests.test(why)) return undefined;
    return {
      why: 'The program of the answer fails its tests.',
      evidence: [at(run.grade ? 'grade' : 'error', why), at('answer', answer)],
    };
  },
};

/** Factors between units that people mix up. */
const factors = [10, 24, 60, 100, 1000, 1024, 3600, 86_400, 1e6];

export const wrongUnit: TriageRule = {
  name: 'wrong-unit',
  layer: 'act',
  symptom: 'wrong-value-taken',
  applies({ answer, run, rightAnswer }) {
    const { expected } = run.task;
    if (answer === undefined || rightAnswer || (typeof expected !== 'string' && typeof expected !== 'number'))
      return undefined;
    const wanted = quantitiesIn(String(expected)).filter(({ number }) => number.value !== 0);
    const said = quantitiesIn(answer);
    const otherUnit = wanted.some(
      (one) => said.some((other) => hasOtherUnit(one, other)) && !said.some((other) => isSame(one, other)),
    );
    const [last] = wanted.slice(-1);
    const [given] = said.slice(-1);
    if (!otherUnit && !(last && given && isShifted(last, given))) return undefined;
    return {
      why: 'The number is right but for its unit.',
      evidence: [at('answer', answer), at('task.expected', String(expected))],
    };
  },
};

function hasOtherUnit(wanted: Quantity, said: Quantity): boolean {
  return wanted.number.value === said.number.value && wanted.unit !== undefined && said.unit !== wanted.unit;
}

function isSame(wanted: Quantity, said: Quantity): boolean {
  return wanted.number.value === said.number.value && said.unit === wanted.unit;
}

/** Off by a factor between units, where one of them names its unit; in one unit, ten times as much is another value. */
function isShifted(wanted: Quantity, said: Quantity): boolean {
  const ratio = said.number.value / wanted.number.value;
  const least = wanted.unit === said.unit ? 60 : 0;
  const shifted = factors.some(
    (factor) => factor >= least && [factor, 1 / factor].some((one) => Math.abs(ratio / one - 1) < 1e-9),
  );
  return shifted && (wanted.unit ?? said.unit) !== undefined;
}

export const staleValue: TriageRule = {
  name: 'stale-value',
  layer: 'act',
  symptom: 'wrong-value-taken',
  applies({ given, sought, ok, rightAnswer }) {
    if (!given || rightAnswer || sought.length === 0) return undefined;
    for (const group of Map.groupBy(ok, ({ key }) => key).values()) {
      const latest = group.at(-1);
      const old = group.slice(0, -1).findLast(({ text }) => text.holds(given));
      if (!old || !latest || latest.text.holds(given) || !sought.every((value) => latest.text.holds(value))) continue;
      return {
        why: 'The answer has the value of an earlier result; the same call gave a newer one later.',
        evidence: [
          at(old.observation.id, old.observation.content),
          at(latest.observation.id, latest.observation.content),
        ],
      };
    }
    return undefined;
  },
};

export const wrongValueTaken: TriageRule = {
  name: 'wrong-value-taken',
  layer: 'act',
  symptom: 'wrong-value-taken',
  applies({ given, answer, sought, holding, ok, rightAnswer }) {
    const [right] = holding;
    const [value] = sought;
    if (!given || !right || !value || rightAnswer) return undefined;
    const source = ok.find(({ text }) => text.holds(given));
    if (!source) return undefined;
    return {
      why: 'The right value was read, and another one of what was read was taken.',
      evidence: [
        at(right.observation.id, right.text.placesOf(value)[0] ?? right.observation.content),
        at(source.observation.id, source.text.placesOf(given)[0] ?? source.observation.content),
        at('answer', answer ?? ''),
      ],
    };
  },
};

/** A number that was put into a computation and that neither the task nor anything read before gives. */
export const wrongInput: TriageRule = {
  name: 'unread-number-computed',
  layer: 'act',
  symptom: 'wrong-maths-or-code',
  applies({ ok, rightAnswer, taskText }) {
    const read = ok.filter(looksUp);
    if (rightAnswer || read.length === 0) return undefined;
    const known = [taskText, ...read.map(({ text }) => text)];
    for (const { observation } of ok.filter((seen) => isComputation(seen.observation))) {
      const inputs = JSON.stringify(observation.args ?? '').match(/\d[\d.]*/g) ?? [];
      const unread = inputs.find(
        (digits) => isFigure(digits) && !known.some((source) => source.holds({ text: digits, number: Number(digits) })),
      );
      if (unread !== undefined)
        return {
          why: `The computation uses ${unread}, which stands neither in the task nor in anything that was read.`,
          evidence: [at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)],
        };
      known.push(new Text(resultOf(observation)));
    }
    return undefined;
  },
};

/** The answer is the result of a computation that went well, on values that were read; so they were the wrong ones. */
export const computedFromWrong: TriageRule = {
  name: 'computed-from-wrong-values',
  layer: 'act',
  symptom: 'wrong-value-taken',
  applies({ answer, given, ok, holding, sought, rightAnswer }) {
    if (!given || rightAnswer || answer === undefined || holding.length > 0 || sought.length === 0 || !ok.some(looksUp))
      return undefined;
    const computed = ok.find(
      (seen) => isComputation(seen.observation) && new Text(resultOf(seen.observation)).holds(given),
    );
    if (!computed) return undefined;
    const { id, args, content } = computed.observation;
    return {
      why: 'The result was computed without a fault from values that were read, and they were not the ones to take.',
      evidence: [at(id, `${JSON.stringify(args)}: ${content}`), at('answer', answer)],
    };
  },
};

/** A claim states another number than the words it quotes; that number stands elsewhere in what was read. */
export const otherRowClaimed: TriageRule = {
  name: 'claim-from-another-row',
  layer: 'act',
  symptom: 'wrong-value-taken',
  applies(facts) {
    if (facts.rightAnswer || facts.attempt.reports.length > 0) return undefined;
    const [wrong] = codeFindings(facts, ['support']).filter(
      ({ type, claim }) =>
        type === 'contradiction' &&
        claim !== undefined &&
        figuresOf(claim, facts.taskText).length > 0 &&
        figuresOf(claim, facts.taskText).every((figure) =>
          facts.ok.some((seen) => looksUp(seen) && seen.text.holds(figure)),
        ),
    );
    if (!wrong) return undefined;
    return {
      why: 'A claim has a value of another row than the one it quotes.',
      evidence: [at('claims', `${wrong.claim}: ${wrong.detail}`), at('answer', facts.answer ?? '')],
    };
  },
};

/** Small and round numbers are factors and percentages. */
function isFigure(digits: string): boolean {
  const number = Number(digits);
  return Number.isFinite(number) && number > 12 && ![24, 30, 31, 60, 100, 360, 365, 1000].includes(number);
}

export const nothingLookedUp: TriageRule = {
  name: 'nothing-looked-up',
  layer: 'act',
  symptom: 'missing-live-data',
  applies({ answer, ok, attempt, rightAnswer, sought, run }) {
    if (answer === undefined || rightAnswer || ok.some(looksUp) || isWordProblem(run.task.input, sought))
      return undefined;
    const needed = attempt.plan?.steps.find(({ needsExternalInfo }) => needsExternalInfo);
    return {
      why: 'The answer was given from memory: no tool was asked for what it needs.',
      evidence: [at('answer', answer), ...(needed ? [at(`plan.${needed.id}`, needed.objective)] : [])],
    };
  },
};

/** A task that gives its numbers itself and asks for another one. */
function isWordProblem(input: string, sought: Facts['sought']): boolean {
  return (
    (input.match(/\d+/g) ?? []).length >= 2 && sought.every(({ number }) => number !== undefined) && sought.length > 0
  );
}

export const computedByHead: TriageRule = {
  name: 'computed-without-executor',
  layer: 'act',
  symptom: 'wrong-maths-or-code',
  applies({ answer, ok, rightAnswer, sought, run }) {
    if (answer === undefined || rightAnswer || ok.length > 0 || !isWordProblem(run.task.input, sought))
      return undefined;
    return {
      why: 'The task gives its numbers, and the result was computed without a tool and is wrong.',
      evidence: [at('answer', answer)],
    };
  },
};

export const neverRead: TriageRule = {
  name: 'answer-in-no-observation',
  layer: 'act',
  symptom: 'missing-live-data',
  applies({ answer, given, ok, rightAnswer, sought, holding }) {
    const lookups = ok.filter(looksUp);
    const last = lookups.at(-1);
    const open = answer !== undefined && leavesOpen(answer);
    if (answer === undefined || rightAnswer || (sought.length === 0 && !open) || holding.length > 0 || !last)
      return undefined;
    const from = given && lookups.find(({ text }) => text.holds(given));
    return {
      why: `None of ${lookups.length} lookup(s) brought what was asked for${from ? '; the answer was taken from what they did bring' : ''}.`,
      evidence: lookups
        .slice(-3)
        .map(({ observation }) => at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)),
    };
  },
};
