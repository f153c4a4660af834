import { UsageError } from '../../core/errors.ts';

/** A part of a row's text, and whether it is learnt. */
export interface Segment {
  text: string;
  loss: boolean;
}

/** Where the tokens of a text are, in order: offsets in UTF-16 units, the end not included. */
export type Tokenizer = (text: string) => readonly { start: number; end: number }[];

/** Tokens from `start` to before `end`, counted over all segments. */
export interface TokenSpan {
  start: number;
  end: number;
  loss: boolean;
}

/**
 * The segments as ranges of tokens. Each is tokenised by itself, as the paper's own code does, so that no token reaches over a boundary; a
 * trainer has to encode them so too. Throws `UsageError` for a tokenizer whose tokens overlap, leave out text or lie outside of it.
 */
export function tokenSpans(segments: readonly Segment[], tokenize: Tokenizer): TokenSpan[] {
  let start = 0;
  return segments.map(({ text, loss }) => {
    const tokens = tokenize(text);
    check(text, tokens);
    const span = { start, end: start + tokens.length, loss };
    start = span.end;
    return span;
  });
}

function check(text: string, tokens: ReturnType<Tokenizer>): void {
  let at = 0;
  for (const { start, end } of tokens) {
    // Bytes of one character may be several tokens, all of which cover it; some tokenizers leave blanks out.
    const isBackward = start < at && !(start >= at - 2 && end >= at);
    if (isBackward || end < start || end > text.length || text.slice(at, start).trim() !== '')
      throw new UsageError(
        `the tokenizer puts a token at ${start} to ${end} after one that ended at ${at}, in a text of ${text.length} UTF-16 units: ` +
          'give tokens in order that cover the text',
      );
    at = Math.max(at, end);
  }
  if (text.slice(at).trim() !== '')
    throw new UsageError(
      `the tokenizer leaves out the end of a text, from ${at} of ${text.length}: give tokens that cover it`,
    );
}
