/**
 * What of a page is not in the article that was cut out of it. Both are compared line by line, and by what remains of a line
 * without the marks in which the two notations of them differ.
 */

/** Marks of Markdown and of rows, and all white space. */
const marks = /[\s|*#>`~\\-]+/g;

export interface LeftOut {
  /** The lines of the page that are not in the article, in their order, with blank lines where something stood between. */
  text: string;
  /** Of the page's characters, by which the article covers all that `text` does not hold: 0 to 1. */
  share: number;
}

export function leftOut(page: string, article: string): LeftOut {
  const covered = new Map<string, number>();
  for (const line of article.split('\n')) {
    const key = keyOf(line);
    covered.set(key, (covered.get(key) ?? 0) + 1);
  }
  const lines: string[] = [];
  let [total, missing] = [0, 0];
  for (const line of page.split('\n')) {
    const key = keyOf(line);
    total += key.length;
    const times = covered.get(key) ?? 0;
    if (key === '' || times > 0) {
      covered.set(key, times - 1);
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
      continue;
    }
    missing += key.length;
    lines.push(line);
  }
  return { text: lines.join('\n').trim(), share: total === 0 ? 0 : missing / total };
}

function keyOf(line: string): string {
  return line.replace(marks, '');
}
