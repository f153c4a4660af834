/** A place where two sequences differ: what stands in the one, and what in the other. */
export interface Hunk {
  left: string[];
  right: string[];
}

/** The places where two sequences differ, along a longest common subsequence. Takes time with the product of their lengths. */
export function differences(a: readonly string[], b: readonly string[]): Hunk[] {
  const common = commonLengths(a, b);
  const hunks: Hunk[] = [];
  let hunk: Hunk = { left: [], right: [] };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && a[i] === b[j]) {
      hunks.push(hunk);
      hunk = { left: [], right: [] };
      i++;
      j++;
    } else if (j === b.length || (i < a.length && common(i + 1, j) >= common(i, j + 1))) {
      hunk.left.push(...a.slice(i, ++i));
    } else {
      hunk.right.push(...b.slice(j, ++j));
    }
  }
  return [...hunks, hunk].filter(({ left, right }) => left.length + right.length > 0);
}

/** The length of the longest common subsequence of the rests of both, from any two places on. */
function commonLengths(a: readonly string[], b: readonly string[]): (i: number, j: number) => number {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}
