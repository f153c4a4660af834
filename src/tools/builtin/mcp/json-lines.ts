/** A stream of lines, each bounded: what is too long is passed by without being kept. */
export class LineReader {
  readonly #limit: number;
  readonly #on: { line(text: string): void; dropped(head: string, tail: string): void };
  #parts: Buffer[] = [];
  #size = 0;
  #head = '';
  #tail: Buffer = Buffer.alloc(0);

  constructor(limit: number, on: { line(text: string): void; dropped(head: string, tail: string): void }) {
    this.#limit = limit;
    this.#on = on;
  }

  add(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#keep(rest.subarray(0, end));
      this.#end();
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  }

  #end(): void {
    if (this.#size > this.#limit) this.#on.dropped(this.#head, this.#tail.toString('utf8'));
    else this.#on.line(Buffer.concat(this.#parts).toString('utf8').replace(/\r$/, ''));
    this.#parts = [];
    this.#size = 0;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size <= this.#limit) {
      // A copy: the chunk is memory of the stream.
      this.#parts.push(Buffer.from(part));
      return;
    }
    if (this.#parts.length > 0 || this.#size === part.length) {
      const before = Buffer.concat(this.#parts);
      this.#head = Buffer.concat([before.subarray(0, shown), part.subarray(0, shown)])
        .subarray(0, shown)
        .toString('utf8');
      this.#tail = before.subarray(-shown);
      this.#parts = [];
    }
    this.#tail = Buffer.concat([this.#tail, part.subarray(-shown)]).subarray(-shown);
  }
}

const shown = 200;

/** Whose answer a line was, when only its ends are known; JSON-RPC writers put the id first or last. */
export function idAtEnds(head: string, tail: string): number | undefined {
  const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(head);
  const last = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const found = first ?? last;
  return found ? Number(found[1]) : undefined;
}

/** JSON as some servers write it, with the bare tokens NaN and Infinity, which become texts. Throws for what is no JSON. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mended = withoutBareNumbers(text);
    if (mended === text) throw error;
    return JSON.parse(mended);
  }
}

/** The text with bare NaN and Infinity as JSON strings; what stands inside strings stays. Linear, whatever the text. */
export function withoutBareNumbers(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  const parts: string[] = [];
  let at = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', at)) {
    const end = stringEnd(text, quote + 1);
    parts.push(quoted(text.slice(at, quote)), text.slice(quote, end));
    at = end;
  }
  return parts.join('') + quoted(text.slice(at));
}

function quoted(outside: string): string {
  return outside.replace(/-?\b(?:NaN|Infinity)\b/g, '"$&"');
}

function stringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
