import type { Claim, Issue, Observation } from '../core/attempt.ts';
import { resultOf } from './computations.ts';
import { type Measure, sameDimensions } from './measures.ts';
import { numberSource } from './numbers.ts';
import { isConversion, type Quantity, quantitiesIn } from './quantities.ts';
import type { SourceText } from './source-text.ts';

/** What a claim may take its units from. */
interface UnitSources {
  quotes: readonly string[];
  /** The task and what the claim cites. */
  sources: readonly SourceText[];
  /** Of the tools that compute. */
  computed: readonly Observation[];
}

/** The amounts of a claim with a unit that its sources do not give them. */
export function unitFaults(claim: Claim, given: UnitSources): Issue[] {
  const { quotes, sources, computed } = given;
  const measured = quantitiesIn(claim.text).filter(({ measure }) => measure !== undefined);
  if (measured.length === 0) return [];
  const offered = sources.flatMap((source) => source.quantities());
  return measured.flatMap((stated): Issue[] => {
    const other = isResult(stated, computed, 0)
      ? undefined
      : (otherUnit(stated, quotes.flatMap(quantitiesIn)) ?? otherUnit(stated, offered));
    const why = other ?? strangeUnit(stated, offered, given);
    if (why === undefined) return [];
    return [
      {
        type: 'contradiction',
        detail: `the claim states ${stated.number.text} ${stated.unit}, ${why}`,
        requiredAction: 'give the number with the unit of the source, or convert it',
        claim: claim.text,
      },
    ];
  });
}

/** A number that the sources have with other units only, and that is no conversion of anything in them. */
function otherUnit(stated: Quantity, offered: readonly Quantity[]): string | undefined {
  const same = offered.filter(
    ({ number }) => number.value === stated.number.value && number.percent === stated.number.percent,
  );
  const [given] = same;
  const fits = offered.some((other) => isConversion(stated, other)) || same.some((other) => !differs(stated, other));
  return fits || !given ? undefined : `where the source has ${given.number.text} ${given.unit}`;
}

/**
 * A unit that stands nowhere, of what the sources measure in another one; unless it was converted by a factor that was
 * computed with.
 */
function strangeUnit(stated: Quantity, offered: readonly Quantity[], from: UnitSources): string | undefined {
  const { measure, unit, number } = stated;
  if (!measure || unit === undefined || !isResult(stated, from.computed, number.tolerance)) return undefined;
  const given = offered.find((other) => differs(stated, other));
  if (!given?.measure || from.sources.some(({ content }) => hasUnit(content, unit))) return undefined;
  const factor = measure.factor / given.measure.factor;
  const converted = from.computed.some(({ content }) =>
    numberSource(content).numbers.some(
      ({ value }) => factor !== 1 && [value / factor, value * factor].some((ratio) => Math.abs(ratio - 1) < 0.01),
    ),
  );
  return converted ? undefined : `where the sources measure in ${given.unit}`;
}

function isResult({ number }: Quantity, computed: readonly Observation[], tolerance: number): boolean {
  return computed.some((seen) =>
    numberSource(resultOf(seen)).numbers.some(
      ({ value }) => Math.abs(value - number.value) <= tolerance + 1e-9 * value,
    ),
  );
}

/** Two units of one kind, such as kg and g or EUR and USD. */
function differs(stated: Quantity, given: Quantity): boolean {
  if (!stated.measure || !given.measure || !isSameKind(stated.measure, given.measure)) return false;
  return stated.measure.factor !== given.measure.factor || !sameDimensions(stated.measure, given.measure);
}

const currency = /^(?:dollar|eur|gbp|cny|jpy|inr|chf|krw)$/;

/** The same dimensions, or two currencies. */
function isSameKind(one: Measure, other: Measure): boolean {
  const money = [one, other].every(({ dimensions }) => {
    const [name = '', ...more] = Object.keys(dimensions);
    return more.length === 0 && currency.test(name);
  });
  return money || sameDimensions(one, other);
}

function hasUnit(text: string, unit: string): boolean {
  const plain = unit.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(/\p{L}/u.test(unit) ? `(?<![\\p{Script=Latin}])${plain}(?![\\p{Script=Latin}])` : plain, 'iu').test(
    text,
  );
}
