import type { Attempt, Claim, Issue, Observation } from '../core/attempt.ts';
import { canonicalJson } from '../core/json.ts';
import type { Check } from './check.ts';
import { statedResults } from './equations.ts';
import { isCarried, numberSource } from './numbers.ts';
import { isConversion, type Quantity, quantitiesIn } from './quantities.ts';
import { standsIn } from './quote-text.ts';
import { SourceText } from './source-text.ts';
import { plainText, type Statement, sentencesOf, statementOf } from './statements.ts';

/** An answer with more words explains, and may use numbers of its own (24-hour service, the year). */
const shortAnswer = 12;

/**
 * The attempt does not contradict itself: two statements of claims or answer that differ in nothing but a number or a
 * negation, a short answer with a number that no claim and no source has, and a quote that a later result of the same
 * call replaced.
 */
export const consistency: Check = {
  name: 'consistency',
  run(attempt, task) {
    return [
      ...contradictions(attempt),
      ...unclaimedNumber(attempt, [task.input, ...task.constraints].join('\n')),
      ...attempt.claims.flatMap((claim) => staleQuotes(claim, attempt)),
    ];
  },
};

/** A longer one is a table in disguise. */
const longestSentence = 500;

interface Said {
  statement: Statement;
  claim?: Claim;
}

function contradictions({ claims, answer = '', observations }: Attempt): Issue[] {
  const usable = observations.filter(({ status }) => status === 'ok');
  // What sources say word for word of what may be two things (a town each) is no fault of the attempt.
  const sources = usable.map(({ content }) => new SourceText(content));
  const isQuoted = ({ statement }: Said): boolean => sources.some((source) => source.holds(statement.text));
  const isShort = (text: string): boolean => text.length <= longestSentence;
  const said: Said[] = [
    ...claims.flatMap((claim) =>
      sentencesOf(claim.text)
        .filter(isShort)
        .map((text) => ({ statement: saidOf(text), claim })),
    ),
    ...proseOf(answer)
      .filter(isShort)
      .map((text) => ({ statement: saidOf(text) })),
  ];
  const bySubject = Map.groupBy(
    said.filter(({ statement }) => isTelling(statement)),
    ({ statement }) => statement.words.join(' '),
  );
  return [...bySubject.values()].flatMap((group) =>
    group
      .flatMap((one, place) => {
        const others = group.slice(place + 1).filter(({ statement }) => isContrary(one.statement, statement));
        const other = others.find((candidate) => !(isQuoted(one) && isQuoted(candidate)));
        return other ? [contradictionOf(one, other)] : [];
      })
      .slice(0, 1),
  );
}

/**
 * With each time of day as one number. Of what leaves or begins, only a thing with a number of its own (R33) does so at
 * one time.
 */
function saidOf(text: string): Statement {
  const timed = text.replace(/(?<![\d:])(\d{1,2})[:：](\d{2})(?![\d:])/g, '$1.$2');
  const known = timed === text || /(?<!\p{L})[A-Z]{1,3}-?\d+/u.test(text);
  return { ...statementOf(timed), text: plainText(text), ...(!known && { words: [] }) };
}

function contradictionOf(one: Said, other: Said): Issue {
  const about = one.claim?.text ?? other.claim?.text;
  return {
    type: 'contradiction',
    detail: `"${one.statement.text}" and "${other.statement.text}" cannot both be true`,
    requiredAction: 'find out which is right and correct the other',
    ...(about !== undefined && { claim: about }),
  };
}

/** Enough to know what it is about; one word is a subject only in a sentence, not in a label such as `Price: $10`. */
function isTelling({ words, text }: Statement): boolean {
  const sentence = /\b(?:is|are|was|were)\b|[为是]/u.test(text);
  const weight = words.join('').replace(/\p{Script=Han}/gu, '**').length;
  return words.length >= 2 ? sentence || weight >= 4 : words.length === 1 && sentence;
}

function isContrary(one: Statement, other: Statement): boolean {
  if (/[?？]/u.test(one.text + other.text)) return false;
  if (one.quantities.length !== other.quantities.length) return false;
  const pairs = one.quantities.flatMap((quantity, place): [Quantity, Quantity][] => {
    const counterpart = other.quantities[place];
    return counterpart && !isSame(quantity, counterpart) ? [[quantity, counterpart]] : [];
  });
  if (pairs.length === 0) return one.words.length >= 3 && Math.abs(one.negations.length - other.negations.length) === 1;
  return (
    one.negations.length === other.negations.length &&
    pairs.every(([left, right]) => isAmount(left, one) && isAmount(right, other) && sameKind(left, right))
  );
}

function isSame(left: Quantity, right: Quantity): boolean {
  if (left.measure && right.measure) return isConversion(left, right) || isConversion(right, left);
  const source = (quantity: Quantity) => [numberSource(quantity.number.text)];
  return isCarried(source(right), left.number) || isCarried(source(left), right.number);
}

function sameKind(left: Quantity, right: Quantity): boolean {
  const kind = ({ measure, number }: Quantity): string =>
    measure ? Object.keys(measure.dimensions).sort().join(' ') : String(number.percent);
  return kind(left) === kind(right);
}

const event =
  /\b(?:found|born|di(?:ed|e)|finish|erect|establish|built|launch|complet|sign|invent|discover)\w*|成立|创立|出生|逝世|去世|建成|建造|完工|完成|竣工|发明|发现|签署/iu;
const copula =
  /(?:\b(?:is|are|was|were|has|have|had|costs?|totals?|equals?|contains?|includes?|weighs?|measures?|lasts?|takes?|reached|employs?|handled|enrolled)|[=:：为是有共达])\s*(?:a total of |about |exactly |around |约|大约)?[$€£¥]?$/iu;
const label =
  /(?:\b(?:no\.?|number|room|step|page|chapter|section|line|figure|table|question|item|option|day|week|year|version|level|part|team|group|case|test|plan|route|gate|platform|flight|house|unit|article|rule|claim|source)|[#№第])\s*$/iu;

const dating = /(?:\b(?:in|since|from|to|by|of|until|till|during|after|before|year|and)|[(–-])\s*$/iu;

/** A number that says how much, rather than which: with a unit, a percent sign or decimals, or after a verb such as is or has. */
function isAmount({ number, unit, end }: Quantity, { text }: Statement): boolean {
  const before = text.slice(0, Math.max(0, end - number.text.length));
  if (label.test(before)) return false;
  const isYear = /^(?:1[5-9]|20)\d\d$/.test(number.text) && unit === undefined;
  if (isYear && (/^\s?年/u.test(text.slice(end)) || dating.test(before))) return event.test(text);
  return (
    unit !== undefined || number.percent || number.scale !== 1 || /\d[.,]\d/.test(number.text) || copula.test(before)
  );
}

/**
 * The sentences of the parts that are prose: lists, tables and what stands under a heading of its own say less than a
 * whole sentence.
 */
function proseOf(answer: string): string[] {
  const plain = answer.replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '');
  if (/^#{1,6}\s/m.test(plain)) return [];
  return plain
    .split('\n')
    .filter((line) => !/^\s*(?:[-*+•|>]|\d{1,3}[.)、]\s)|[:：]\s*$/u.test(line))
    .flatMap(sentencesOf);
}

function unclaimedNumber({ answer = '', claims, observations }: Attempt, given: string): Issue[] {
  const cited = claims.some(({ evidence }) => evidence.length > 0);
  if (!cited || answer.length > 200 || statementOf(answer).words.length > shortAnswer) return [];
  const usable = observations.filter(({ status }) => status === 'ok');
  const texts = [
    given,
    ...claims.map(({ text }) => text),
    ...usable.map(({ content, args }) => `${content}\n${canonicalJson(args)}`),
  ];
  const stated = quantitiesIn(answer);
  if (stated.length === 0) return [];
  const sources = [...texts, statedResults(answer).join(' ')].map(numberSource);
  const missing = stated.filter(({ number }) => !isCarried(sources, number));
  const offered = missing.length === 0 ? [] : texts.flatMap(quantitiesIn);
  const unknown = missing.filter((quantity) => !offered.some((other) => isConversion(quantity, other)));
  if (unknown.length === 0) return [];
  return [
    {
      type: 'contradiction',
      detail: `the answer states ${unknown.map(({ number }) => number.text).join(', ')}, which no claim, result or computation has`,
      requiredAction: 'make answer and claims agree, and compute with the calculator what is not in a source',
    },
  ];
}

/** A quote from a call that was made again with another outcome, which does not hold it any more. */
function staleQuotes(claim: Claim, { observations, claims }: Attempt): Issue[] {
  if (past.test(claim.text)) return [];
  const usable = observations.filter(({ status }) => status === 'ok');
  const cites = (id: string): boolean =>
    claims.some(({ evidence }) => evidence.some(({ observation }) => observation === id));
  return claim.evidence.flatMap(({ observation: id, quote }): Issue[] => {
    const place = usable.findIndex((candidate) => candidate.id === id);
    const cited = usable[place];
    const later = cited && usable.slice(place + 1).findLast((candidate) => isSameCall(candidate, cited));
    if (!later || later.content === cited.content || cites(later.id)) return [];
    if (!standsIn(quote, cited.content) || standsIn(quote, later.content)) return [];
    return [
      {
        type: 'contradiction',
        detail: `the claim rests on ${id}, but ${later.id} is a later result of the same call and does not say so any more`,
        requiredAction: `use ${later.id}, or say that ${id} is how it was before`,
        claim: claim.text,
      },
    ];
  });
}

const past =
  /\b(?:was|were|had|before|earlier|previous(?:ly)?|initial(?:ly)?|at first|original(?:ly)?|former(?:ly)?|used to|changed)\b|之前|先前|原来|起初|最初|原先|曾/iu;

function isSameCall(one: Observation, other: Observation): boolean {
  return one.tool === other.tool && canonicalJson(one.args) === canonicalJson(other.args);
}
