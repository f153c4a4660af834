/** The name most like `raw` by edit distance, ignoring case, or undefined when none is close. Ties go to the first. */
export function nearestName(raw: string, names: readonly string[]): string | undefined {
  const wanted = raw.slice(0, longest).toLowerCase();
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = editDistance(wanted, name.slice(0, longest).toLowerCase());
    // Up to half of the longer name may differ: `parentId` is close to `parentFolderId`, `query` is not to `path`.
    if (distance < least && distance <= Math.max(wanted.length, name.length) / 2) {
      best = name;
      least = distance;
    }
  }
  return best;
}

/** Names are compared up to this length: a model may send a page where a name belongs. */
const longest = 100;

/** Levenshtein distance in UTF-16 units, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let line = 1; line <= a.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= b.length; column += 1) {
      const substituted = (row[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
