import type { Claim, Issue, Observation } from '../core/attempt.ts';
import type { Check } from './check.ts';
import { isComputation, resultOf } from './computations.ts';
import { conflictOf } from './conflicts.ts';
import { statedResults } from './equations.ts';
import { isCarried, type NumberSource, numberSource } from './numbers.ts';
import { isConverted, isSameSort, quantitiesIn } from './quantities.ts';
import { SourceText, sourceTexts } from './source-text.ts';
import { clausesOf, type Statement, statementOf } from './statements.ts';
import { unitFaults } from './unit-faults.ts';

/** A claim is a sentence; a longer text is none, and comparing all its numbers with all of a source would take long. */
const longestClaim = 2_000;

/**
 * A claim says what its quotes say: not the contrary (a negation or an opposite word), not another number or name where
 * it quotes, and no number with another unit than the source gives it. Only what can be decided by comparing words is
 * judged; a paraphrase is not.
 */
export const support: Check = {
  name: 'support',
  run(attempt, task) {
    const sourceOf = sourceTexts();
    const given = new SourceText([task.input, ...task.constraints].join('\n'));
    const computed = attempt.observations.filter(isComputation);
    const results = computed.map((seen) => numberSource(resultOf(seen)));
    return attempt.claims.flatMap((claim) => {
      const cited = citations(claim, attempt.observations, sourceOf);
      if (cited.length === 0 || claim.text.length > longestClaim) return [];
      const own = numberSource(statedResults(claim.text).join(' '));
      const sources = [given, ...new Set(cited.map(({ source }) => source))];
      return [
        ...conflicts(claim, cited),
        ...otherNumber(claim, cited, [given.numbers(), ...results, own]),
        ...unitFaults(claim, { quotes: cited.map(({ quote }) => quote), sources, computed }),
      ];
    });
  },
};

interface Cited {
  quote: string;
  source: SourceText;
}

function citations(
  claim: Claim,
  observations: readonly Observation[],
  sourceOf: (observation: Observation) => SourceText,
): Cited[] {
  return claim.evidence.flatMap(({ observation: id, quote }) => {
    const observation = observations.find((candidate) => candidate.id === id && candidate.status === 'ok');
    return observation ? [{ quote, source: sourceOf(observation) }] : [];
  });
}

function conflicts(claim: Claim, cited: readonly Cited[]): Issue[] {
  const places = cited.flatMap(({ quote, source }) => source.surroundings(quote) ?? []);
  const quoted = [...cited.map(({ quote }) => quote), ...places.map(({ clause }) => clause)];
  const said = quoted.flatMap(clausesOf).map(statementOf);
  const around = places.flatMap(({ sentence }) => clausesOf(sentence)).map(statementOf);
  for (const part of clausesOf(claim.text).map(statementOf)) {
    // What one quote contradicts and another says in the same words is a matter of choosing, not of the claim.
    if (said.some((other) => agrees(part, other)) || cited.some(({ source }) => isVerbatim(part, source))) continue;
    for (const other of [...said, ...around]) {
      const why = conflictOf(part, other);
      if (why) return [contradiction(claim, other.text, why)];
    }
  }
  return [];
}

/**
 * A number of the claim stands elsewhere in the source: where it quotes, there is another of its kind that the claim
 * does not state.
 */
function otherNumber(claim: Claim, cited: readonly Cited[], results: readonly NumberSource[]): Issue[] {
  const stated = quantitiesIn(claim.text);
  if (stated.length === 0 || cited.some(({ source }) => source.holds(claim.text))) return [];
  const quoted = cited.map((one) => quotedText(claim, one));
  const offered = quoted.flatMap(quantitiesIn);
  const sources = [...results, ...quoted.map(numberSource)];
  const carried = stated.filter(({ number }) => isCarried(sources, number));
  const missing = stated.filter((one) => !carried.includes(one) && !isConverted(one, [...offered, ...carried], stated));
  // What stands nowhere is the business of `quotes`.
  const displaced = missing.filter(({ number }) => cited.some(({ source }) => isCarried([source.numbers()], number)));
  const own = [numberSource(claim.text)];
  for (const one of displaced) {
    const rival = offered.find((other) => isSameSort(one, other) && !isCarried(own, other.number));
    const quote = rival && quoted.find((text) => text.includes(rival.number.text) && sharesWord(claim.text, text));
    if (rival && quote)
      return [contradiction(claim, quote, `the claim has ${one.number.text}, the quote ${rival.number.text}`)];
  }
  return [];
}

/** The quote with the rest of its sentence, or of its clause where that says what the claim says. */
function quotedText(claim: Claim, { quote, source }: Cited): string {
  const place = source.surroundings(quote);
  if (!place) return quote;
  const [said, clause] = [statementOf(claim.text), statementOf(place.clause)];
  const isAll = clause.words.length <= said.words.length + 2 && said.words.every((word) => clause.words.includes(word));
  return `${quote}\n${isAll ? place.clause : place.sentence}`;
}

/** A content word, or two ideographs in a row: both are about the same. */
function sharesWord(claim: string, quote: string): boolean {
  const words = statementOf(quote).words;
  if (statementOf(claim).words.some((word) => word.length > 1 && words.includes(word))) return true;
  return [...claim.matchAll(/(?=(\p{Script=Han}{2}))/gu)].some(([, pair = '']) => quote.includes(pair));
}

/** True for words of the source, unless a negation in the same clause was left out. */
function isVerbatim(part: Statement, source: SourceText): boolean {
  const place = source.surroundings(part.text);
  return place !== undefined && statementOf(place.clause).negations.length === part.negations.length;
}

function agrees(claim: Statement, quote: Statement): boolean {
  return (
    claim.words.every((word) => quote.words.includes(word)) &&
    claim.negations.length === quote.negations.length &&
    claim.quantities.every(({ number }) => isCarried([numberSource(quote.text)], number))
  );
}

function contradiction(claim: Claim, quote: string, why: string): Issue {
  return {
    type: 'contradiction',
    detail: `the claim does not say what its quote says: ${why} (quote: "${quote.slice(0, 160)}")`,
    requiredAction: 'say what the source says, quote the words that carry the claim, or drop it',
    claim: claim.text,
  };
}
