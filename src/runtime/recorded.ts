/** A value in a journal: as the JSON text a file keeps, and as what agent code is given. */
export interface Recorded {
  /** The JSON text. */
  readonly text: string;
  /** The value that the text stands for. */
  read(): unknown;
}

/** A value that came out of a file. `text` may be read only when it is asked for. */
export class RecordedText implements Recorded {
  readonly #text: () => string;

  constructor(text: string | (() => string)) {
    this.#text = typeof text === 'string' ? () => text : text;
  }

  get text(): string {
    return this.#text();
  }

  read(): unknown {
    return JSON.parse(this.text);
  }
}

/** A value that is its own JSON round trip: given on as it is, and written as text only when somebody wants the text. */
class RecordedPlain implements Recorded {
  readonly #value: unknown;
  #text: string | undefined;

  constructor(value: unknown) {
    this.#value = value;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value);
    return this.#text;
  }

  read(): unknown {
    return this.#value;
  }
}

/** The value as it can be recorded; undefined for what JSON leaves out. Throws `TypeError` for what it cannot say. */
export function record(value: unknown): Recorded | undefined {
  if (value === undefined) return undefined;
  if (isPlain(value, { left: mostLooks })) return new RecordedPlain(value);
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : new RecordedText(text);
}

/** A look at more than so many values costs more than the text would. */
const mostLooks = 1_000;

/** Whether JSON would give back the same: plain objects and dense arrays of texts, numbers, booleans and null, nothing undefined. */
function isPlain(value: unknown, looks: { left: number }): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      return value === null || isPlainObject(value, looks);
    default:
      return false;
  }
}

function isPlainObject(value: object, looks: { left: number }): boolean {
  if (--looks.left < 0) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!isPlain(value[at], looks)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  // Read as a record of unknown values, which any object is: `Reflect.get` would be several times slower.
  const members = value as Record<string, unknown>;
  for (const key in members) if (!isPlain(members[key], looks)) return false;
  return true;
}
