import { bareName, type CallFormat, type Found, readInput, skip } from './text-call-formats.ts';

/**
 * Qwen-coder: `<function=name><parameter=key>value</parameter></function>`, with or without `<tool_call>` around it. It only
 * looks like XML: values are raw text, `<` and all, so that no XML parser can read it. Every value is a string here; the
 * tool's schema says what becomes a number.
 */
export const xmlLike: CallFormat = {
  special: false,
  next(text, from) {
    const opening = /<function=([^<>\s]{1,100})>\s*/g;
    opening.lastIndex = from;
    for (let found = opening.exec(text); found; found = opening.exec(text)) {
      const tool = bareName(found[1] ?? '');
      const at = opening.lastIndex;
      if (text[at] === '{') return jsonBody(text, found.index, at, tool);
      if (text.startsWith('<parameter=', at) || text.startsWith(closing, at)) {
        return parameters(text, found.index, at, tool);
      }
    }
    return undefined;
  },
};

const closing = '</function>';

function jsonBody(text: string, start: number, at: number, tool: string): Found {
  const read = readInput(text, at);
  if (!read.ok) return { start, why: read.why };
  const end = skip(text, read.end, /\s*<\/function>/y);
  if (end === read.end) return { start, why: 'the call is not complete' };
  return { start, end, calls: [{ tool, input: read.value, format: 'xml-like' }] };
}

function parameters(text: string, start: number, from: number, tool: string): Found {
  const values = new Map<string, string>();
  let at = from;
  while (!text.startsWith(closing, at)) {
    const opening = /<parameter=([^<>\s]{1,100})>/y;
    opening.lastIndex = at;
    const key = opening.exec(text)?.[1];
    const end = key === undefined ? -1 : valueEnd(text, opening.lastIndex);
    if (key === undefined || end < 0) return { start, why: 'the call is not complete' };
    const value = text.slice(opening.lastIndex, end);
    // A value that holds the next parameter lost its closing tag, or is a text about such calls: nobody can tell.
    if (/\n\s{0,20}<parameter=/.test(value)) return { start, why: `parameter ${key} is not closed` };
    if (values.has(key)) return { start, why: `parameter ${key} is given twice` };
    values.set(key, value.replace(/^\r?\n/, '').replace(/\r?\n$/, ''));
    at = skip(text, end, /<\/parameter>\s*/y);
  }
  const input = JSON.stringify(Object.fromEntries(values));
  return { start, end: at + closing.length, calls: [{ tool, input, format: 'xml-like' }] };
}

/** Where a value ends: at a closing tag that the next parameter or the end of the function follows. */
function valueEnd(text: string, from: number): number {
  const tag = '</parameter>';
  const following = /\s*(?:<parameter=|<\/function>)/y;
  for (let at = text.indexOf(tag, from); at >= 0; at = text.indexOf(tag, at + 1)) {
    following.lastIndex = at + tag.length;
    if (following.test(text)) return at;
  }
  return -1;
}
