/** Lengths of the chosen and the rejected answers: preference training takes what they differ in for quality (Park et al. 2024). */
export interface LengthBias {
  pairs: number;
  /** In UTF-16 units. */
  meanChosen: number;
  meanRejected: number;
  /** Share of the pairs whose chosen answer is the longer one; pairs of the same length count half. */
  chosenLonger: number;
}

export class LengthCount {
  #pairs = 0;
  #chosen = 0;
  #rejected = 0;
  #longer = 0;

  add(chosen: string, rejected: string): void {
    this.#pairs++;
    this.#chosen += chosen.length;
    this.#rejected += rejected.length;
    this.#longer += chosen.length === rejected.length ? 0.5 : Number(chosen.length > rejected.length);
  }

  /** Undefined without pairs. */
  result(): LengthBias | undefined {
    const pairs = this.#pairs;
    if (pairs === 0) return undefined;
    return {
      pairs,
      meanChosen: this.#chosen / pairs,
      meanRejected: this.#rejected / pairs,
      chosenLonger: this.#longer / pairs,
    };
  }
}
