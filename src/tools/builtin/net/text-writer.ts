/**
 * Assembles readable text line by line.
 *
 * 1. White space between words is one space, and no line ends with one.
 * 2. There is at most one blank line in a row.
 * 3. Both hold for running text; `verbatim` text keeps its white space.
 */
export class TextWriter {
  readonly #lines: string[] = [];
  #line = '';
  #prefix = '';
  #spaceDue = false;
  /** Of the line: to ask the line itself would copy it each time. */
  #last = '';

  /** The last character on the current line, white space included; empty at its start. */
  get lastCharacter(): string {
    return this.#spaceDue ? ' ' : this.#last;
  }

  /** Adds running text. */
  text(text: string): void {
    text.split(/[\s\u00a0]+/).forEach((word, index) => {
      if (index > 0) this.space();
      if (word !== '') this.mark(word);
    });
  }

  /** Adds text as it is. */
  verbatim(text: string): void {
    const [first = '', ...rest] = text.split(/\r\n?|\n/);
    this.#line += first;
    if (first !== '') this.#last = first.slice(-1);
    for (const line of rest) {
      this.#lines.push(this.#line);
      this.#line = line;
      this.#last = line.slice(-1);
    }
  }

  /** Adds a word, after a space if one is due. */
  mark(word: string): void {
    if (this.#line === '') this.#line = this.#prefix;
    else if (this.#spaceDue) this.#line += ' ';
    this.#prefix = '';
    this.#spaceDue = false;
    this.#line += word;
    this.#last = word.slice(-1);
  }

  /** Separates the next word from the last one. */
  space(): void {
    this.#spaceDue = true;
  }

  /** What the next line begins with when it gets any text, for example `# `. An empty prefix leaves an earlier one. */
  prefix(text: string): void {
    if (text !== '') this.#prefix = text;
  }

  clearPrefix(): void {
    this.#prefix = '';
  }

  /** Ends the line, if there is anything on it. */
  endLine(): void {
    if (this.#line.trim() !== '') this.#lines.push(this.#line.trimEnd());
    this.#line = '';
    this.#last = '';
    this.#spaceDue = false;
  }

  /** Ends the line and leaves a blank one. */
  endBlock(): void {
    this.endLine();
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  toString(): string {
    return [...this.#lines, this.#line.trimEnd()].join('\n').replace(/^\n+|\s+$/g, '');
  }
}
