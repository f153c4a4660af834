import type { Claim, Issue, Observation } from '../core/attempt.ts';
import type { Check } from './check.ts';
import { isComputation } from './computations.ts';
import { conflictOf } from './conflicts.ts';
import { statedResults } from './equations.ts';
import { isCarried, type NumberSource, numberSource } from './numbers.ts';
import { surroundings } from './quote-text.ts';
import { clausesOf, type Statement, statementOf } from './statements.ts';
import { unitFaults } from './unit-faults.ts';

/**
 * A claim says what its quotes say: not the contrary (a negation or an opposite word), not another number or name in the same words,
 * and no number with another unit than the source gives it. Only what can be decided by comparing words is judged; a paraphrase is not.
 */
export const support: Check = {
  name: 'support',
  run(attempt, task) {
    const computed = attempt.observations.filter(isComputation).map(({ content }) => content);
    const given = numberSource([task.input, ...task.constraints].join('\n'));
    return attempt.claims.flatMap((claim) => {
      const cited = citedObservations(claim, attempt.observations);
      if (cited.length === 0) return [];
      const results = [given, ...computed.map(numberSource), numberSource(statedResults(claim.text).join(' '))];
      const texts = [task.input, ...task.constraints, ...new Set(cited.map(({ observation }) => observation.content))];
      return [...conflicts(claim, cited, results), ...unitFaults(claim, { texts, computed })];
    });
  },
};

interface Cited {
  quote: string;
  observation: Observation;
}

function citedObservations(claim: Claim, observations: readonly Observation[]): Cited[] {
  return claim.evidence.flatMap(({ observation: id, quote }) => {
    const observation = observations.find((candidate) => candidate.id === id && candidate.status === 'ok');
    return observation ? [{ quote, observation }] : [];
  });
}

function conflicts(claim: Claim, cited: readonly Cited[], results: readonly NumberSource[]): Issue[] {
  const places = cited.flatMap(({ quote, observation }) => surroundings(quote, observation.content) ?? []);
  const quoted = [...cited.map(({ quote }) => quote), ...places.map(({ clause }) => clause)];
  const said = quoted.flatMap(clausesOf).map(statementOf);
  const around = places.flatMap(({ sentence }) => clausesOf(sentence)).map(statementOf);
  const elsewhere = [...results, ...quoted.map(numberSource)];
  const contents = [...new Set(cited.map(({ observation }) => observation.content))];
  for (const part of clausesOf(claim.text).map(statementOf)) {
    // What one quote contradicts and another says in the same words is a matter of choosing, not of the claim.
    if (said.some((other) => agrees(part, other)) || contents.some((content) => isVerbatim(part, content))) continue;
    for (const other of [...said, ...around]) {
      const why = conflictOf(part, other, elsewhere);
      if (why) return [contradiction(claim, other, why)];
    }
  }
  return [];
}

/** True for words of the source, unless a negation in the same clause was left out. */
function isVerbatim(part: Statement, content: string): boolean {
  const place = surroundings(part.text, content);
  return place !== undefined && statementOf(place.clause).negations.length === part.negations.length;
}

function agrees(claim: Statement, quote: Statement): boolean {
  return (
    claim.words.every((word) => quote.words.includes(word)) &&
    claim.negations.length === quote.negations.length &&
    claim.quantities.every(({ number }) => isCarried([numberSource(quote.text)], number))
  );
}

function contradiction(claim: Claim, quote: Statement, why: string): Issue {
  return {
    type: 'contradiction',
    detail: `the claim does not say what its quote says: ${why} (quote: "${quote.text.slice(0, 160)}")`,
    requiredAction: 'say what the source says, quote the words that carry the claim, or drop it',
    claim: claim.text,
  };
}
