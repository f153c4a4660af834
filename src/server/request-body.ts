/** The body of a request as JSON, within bounds. */
import { Problem } from './problem.ts';

export interface BodyLimits {
  bodyBytes: number;
  jsonDepth: number;
  /** Milliseconds in which the whole body has to arrive. */
  bodyMs: number;
}

const json = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** The text of a JSON body, undefined when there is none. Throws a `Problem`: 415, 413 or 400. */
export async function bodyText(request: Request, limits: BodyLimits): Promise<string | undefined> {
  const bytes = await bodyBytes(request, limits);
  if (bytes.length === 0) return undefined;
  if (!json.test(request.headers.get('content-type') ?? '')) {
    throw new Problem({
      status: 415,
      code: 'media-type',
      title: 'The body is no JSON',
      detail: `The content type is '${(request.headers.get('content-type') ?? '').slice(0, 100)}', and only JSON is read.`,
      remedy: 'Send JSON with `Content-Type: application/json`.',
    });
  }
  const text = decoded(bytes);
  const depth = depthOf(text);
  if (depth > limits.jsonDepth) {
    throw badBody(`It is nested ${depth} levels deep; at most ${limits.jsonDepth} are read.`, 'Send a flatter body.');
  }
  return text;
}

/** The value of a JSON text; an absent one is an empty object. */
export function parsedBody(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would quote the body.
    throw badBody('It could not be parsed as JSON.', 'Send one JSON object.');
  }
}

/** The deepest nesting of arrays and objects, without parsing: what is nested too deep must not reach code that recurses. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === quote) index = endOfString(text, index);
    else if (openers.has(character)) deepest = Math.max(deepest, ++depth);
    else if (closers.has(character)) depth--;
  }
  return deepest;
}

function endOfString(text: string, begin: number): number {
  let index = begin + 1;
  while (index < text.length && text.charCodeAt(index) !== quote) index += text.charCodeAt(index) === backslash ? 2 : 1;
  return index;
}

const quote = 0x22;
const backslash = 0x5c;
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);

async function bodyBytes(request: Request, { bodyBytes: most, bodyMs }: BodyLimits): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most);
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), bodyMs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const step = await Promise.race([reader.read(), late.promise]);
      if (step === 'late') throw badBody(`It did not arrive within ${bodyMs} ms.`, 'Send it faster, or less of it.');
      if (step.done) return Buffer.concat(chunks);
      size += step.value.byteLength;
      if (size > most) throw tooLarge(most);
      chunks.push(step.value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    if (error instanceof Problem) throw error;
    throw badBody('It broke off.', 'Send it again.');
  } finally {
    clearTimeout(timer);
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badBody('It is no UTF-8.', 'Send JSON as UTF-8.');
  }
}

function badBody(detail: string, remedy: string): Problem {
  const title = 'The body cannot be read';
  return new Problem({ status: 400, code: 'body', title, detail: `The body was refused. ${detail}`, remedy });
}

function tooLarge(most: number): Problem {
  return new Problem({
    status: 413,
    code: 'too-large',
    title: 'The body is too large',
    detail: `The body has more than ${most} bytes.`,
    remedy: 'Send less: a long text belongs in a document the agent can search.',
    headers: { connection: 'close' },
  });
}
