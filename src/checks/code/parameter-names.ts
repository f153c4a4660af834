/** The parameters in the source of a JavaScript function, without defaults; one that is taken apart ({ a, b }) keeps its braces. */
export function parameterNames(source: string): string[] {
  const arrow = /^(?:async\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*=>/u.exec(source);
  if (arrow?.[1]) return [arrow[1]];
  const start = source.indexOf('(');
  if (start < 0) return [];
  return partsOf(source.slice(start + 1))
    .map((part) =>
      withoutComments(part)
        .replace(/^([^=]*?)\s*=(?![=>])[\s\S]*$/, '$1')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((name) => name !== '');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
}

/** The text up to the bracket that closes the list, parted at its commas; brackets and strings inside are whole. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  const pattern = /(["'`])(?:\\[\s\S]|(?!\1)[^\\])*\1|\/\*[\s\S]*?\*\/|\/\/[^\n]*|[([{]|[)\]}]|,/g;
  for (const { 0: token, index } of text.matchAll(pattern)) {
    if (/^[([{]$/.test(token)) depth += 1;
    const closes = depth === 0 && token === ')';
    if (closes || (depth === 0 && token === ',')) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
    if (closes) return parts;
    if (/^[)\]}]$/.test(token)) depth -= 1;
  }
  return parts;
}
