import type { Observation } from '../core/attempt.ts';
import { type NumberSource, numberSource } from './numbers.ts';
import { type Quantity, quantitiesIn } from './quantities.ts';
import { comparableText, linedTexts, standsInComparable, surroundings } from './quote-text.ts';

/** A text that several claims are compared with: what is dear to make of it is made once, and only when it is asked for. */
export class SourceText {
  readonly content: string;
  #numbers: NumberSource | undefined;
  #quantities: Quantity[] | undefined;
  #comparable: string | undefined;
  #lined: [string, string] | undefined;

  constructor(content: string) {
    this.content = content;
  }

  numbers(): NumberSource {
    this.#numbers ??= numberSource(this.content);
    return this.#numbers;
  }

  quantities(): Quantity[] {
    this.#quantities ??= quantitiesIn(this.content);
    return this.#quantities;
  }

  holds(text: string): boolean {
    this.#comparable ??= comparableText(this.content);
    return standsInComparable(text, this.#comparable);
  }

  surroundings(quote: string): { sentence: string; clause: string } | undefined {
    this.#lined ??= linedTexts(this.content);
    return surroundings(quote, this.#lined);
  }
}

/** Observations as sources, each made once. */
export function sourceTexts(): (observation: Observation) => SourceText {
  const made = new Map<Observation, SourceText>();
  return (observation) => {
    const known = made.get(observation) ?? new SourceText(observation.content);
    made.set(observation, known);
    return known;
  };
}
