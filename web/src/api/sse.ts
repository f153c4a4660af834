/** A message of an event stream (HTML Standard, section 9.2.6). */
export interface StreamMessage {
  event: string;
  data: string;
  id: string | undefined;
}

/** Takes an event stream apart as it arrives: pieces may be cut anywhere. `retryMs` is what the server last asked to wait. */
export class StreamParser {
  retryMs: number | undefined;
  #rest = '';
  #id: string | undefined;
  #event = '';
  #data: string[] = [];

  push(text: string): StreamMessage[] {
    const messages: StreamMessage[] = [];
    this.#rest += text;
    // A CR at the end may be the first half of a CRLF.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = this.#line(line);
      if (message) messages.push(message);
    }
    return messages;
  }

  #line(line: string): StreamMessage | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    this.#field(field, value);
    return undefined;
  }

  #field(field: string, value: string): void {
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): StreamMessage | undefined {
    const data = this.#data;
    const event = this.#event === '' ? 'message' : this.#event;
    this.#data = [];
    this.#event = '';
    return data.length === 0 ? undefined : { event, data: data.join('\n'), id: this.#id };
  }
}
