/** Which tool calls of a history still want a result. */
export class CallLedger {
  readonly #seen = new Set<string>();
  #open: string[] = [];

  /** A call id without a result, or undefined. */
  get unanswered(): string | undefined {
    return this.#open[0];
  }

  /** Notes a call; says what is wrong with its id. */
  call(id: string): string | undefined {
    if (id === '' || this.#seen.has(id)) return `duplicate or blank tool call id ${JSON.stringify(id)}`;
    this.#seen.add(id);
    this.#open.push(id);
    return undefined;
  }

  /** Notes a result; says when no open call has that id. */
  result(id: string): string | undefined {
    if (!this.#open.includes(id)) return `no tool call found for the result with id ${id}`;
    this.#open = this.#open.filter((other) => other !== id);
    return undefined;
  }
}
