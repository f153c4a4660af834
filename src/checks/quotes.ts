import type { Attempt, Claim, Issue, Observation } from '../core/attempt.ts';
import type { Task } from '../core/task.ts';
import type { Check } from './check.ts';
import { timesIn, timesMeant } from './clock-times.ts';
import { isComputation, resultOf } from './computations.ts';
import { statedResults } from './equations.ts';
import { isCarried, type NumberSource, numberSource } from './numbers.ts';
import { isConverted, quantitiesIn } from './quantities.ts';
import { significantLength, standsIn } from './quote-text.ts';

/** A quote of fewer letters and digits says nothing. */
const shortestQuote = 2;
const shownCharacters = 160;

/**
 * Every quote stands in the observation it names (see `standsIn`), and every number of a claim stands in one of the
 * observations it cites, in the task, in the result of a tool that computes, is the same amount in another unit, or is
 * the result of a computation the claim states. Citations of observations that do not exist or are not `ok` are the
 * business of `evidence`.
 */
export const quotes: Check = {
  name: 'quotes',
  run(attempt, task) {
    const sourceOf = sourcesFor(attempt, task);
    const given = [task.input, ...task.constraints].join('\n');
    return attempt.claims.flatMap((claim) => {
      const cited = citations(claim, attempt.observations);
      const faults = cited.flatMap(({ quote, observation }) => quoteFault(claim, quote, observation));
      return cited.length === 0
        ? faults
        : [...faults, ...numberFaults(claim, cited, { sources: sourceOf(cited), given })];
    });
  },
};

interface Citation {
  quote: string;
  observation: Observation;
}

function citations(claim: Claim, observations: Observation[]): Citation[] {
  return claim.evidence.flatMap(({ observation: id, quote }) => {
    const observation = observations.find((candidate) => candidate.id === id && candidate.status === 'ok');
    return observation ? [{ quote, observation }] : [];
  });
}

function quoteFault(claim: Claim, quote: string, observation: Observation): Issue[] {
  if (significantLength(quote) < shortestQuote)
    return [
      {
        type: 'unsupported_claim',
        detail: `the quote from ${observation.id} is ${quote.trim() === '' ? 'empty' : 'too short to support anything'}`,
        requiredAction: `quote the words of ${observation.id} that carry the claim`,
        claim: claim.text,
      },
    ];
  if (standsIn(quote, observation.content)) return [];
  return [
    {
      type: 'unsupported_claim',
      detail: `the quote "${shortened(quote)}" does not stand in ${observation.id}`,
      requiredAction: `quote ${observation.id} word for word (… may stand for what is left out), or change or drop the claim`,
      claim: claim.text,
    },
  ];
}

function numberFaults(
  claim: Claim,
  cited: Citation[],
  { sources, given }: { sources: NumberSource[]; given: string },
): Issue[] {
  const results = numberSource(statedResults(claim.text).join(' '));
  const stated = quantitiesIn(claim.text);
  const unknown = stated.filter(({ number }) => !isCarried([...sources, results], number));
  const carried = stated.filter((quantity) => !unknown.includes(quantity));
  const offered = unknown.length === 0 ? [] : cited.flatMap(({ observation }) => quantitiesIn(observation.content));
  const missing = unknown
    .filter((quantity) => !isConverted(quantity, [...offered, ...carried], stated))
    .map(({ number }) => number.text);
  missing.push(...missingTimes(claim, [given, ...cited.map(({ observation }) => observation.content)]));
  if (missing.length === 0) return [];
  const list = [...new Set(missing)].join(', ');
  return [
    {
      type: 'unsupported_claim',
      detail: `the claim states ${list}, found neither in the observations it cites nor in the task or a calculation`,
      requiredAction: 'cite the observation with this number, compute it with the calculator, or correct the claim',
      claim: claim.text,
    },
  ];
}

/** The times of day of a claim that are not among those of its sources: 16:04 is no more there because a 16 and a 4 are. */
function missingTimes(claim: Claim, texts: string[]): string[] {
  const stated = timesIn(claim.text);
  const known = stated.length === 0 ? [] : texts.map(timesMeant);
  if (known.every((times) => times.size === 0)) return [];
  return stated.filter(({ minutes }) => !known.some((times) => times.has(minutes))).map(({ text }) => text);
}

/** The texts a claim may take its numbers from, each read once. */
function sourcesFor(attempt: Attempt, task: Task): (cited: Citation[]) => NumberSource[] {
  const read = new Map<Observation, NumberSource>();
  const sourceOf = (observation: Observation): NumberSource => {
    const known = read.get(observation);
    if (known) return known;
    const made = numberSource(`${observation.content}\n${JSON.stringify(observation.args) ?? ''}`);
    read.set(observation, made);
    return made;
  };
  const given = numberSource([task.input, ...task.constraints].join('\n'));
  // What a computation began with proves nothing, unless the claim cites it.
  const results = attempt.observations.filter(isComputation).map((seen) => numberSource(resultOf(seen)));
  return (cited) =>
    [given, ...results, ...new Set(cited.map(({ observation }) => observation))].map((source) =>
      'numbers' in source ? source : sourceOf(source),
    );
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line;
}
