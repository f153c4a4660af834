/** Two lists side by side: pure, so that it can be tested without a browser. */

/** `same`: in both. `changed`: the same kind of thing, but not the same. `left` and `right`: in one of them only. */
export type Aligned<Item> =
  | { type: 'same' | 'changed'; left: Item; right: Item }
  | { type: 'left'; left: Item; right?: undefined }
  | { type: 'right'; left?: undefined; right: Item };

interface AlignOptions<Item> {
  /** What makes two items the same. */
  key: (item: Item) => string;
  /** What makes two items that are not the same worth a line together; absent: nothing. */
  kind?: (item: Item) => string;
}

/** Longer lists are put side by side in their order, since comparing each with each would take too long. */
const longest = 1_500;

/** The longest common sequence by key; what lies between is paired by kind, in order. Nothing is lost and no order changes. */
export function align<Item>(
  left: readonly Item[],
  right: readonly Item[],
  { key, kind }: AlignOptions<Item>,
): Aligned<Item>[] {
  const rows: Aligned<Item>[] = [];
  let [fromLeft, fromRight] = [0, 0];
  const between = (toLeft: number, toRight: number): void => {
    rows.push(...paired(left.slice(fromLeft, toLeft), right.slice(fromRight, toRight), kind));
  };
  for (const [atLeft, atRight] of commonPlaces(left.map(key), right.map(key))) {
    const [a, b] = [left[atLeft], right[atRight]];
    if (a === undefined || b === undefined) continue;
    between(atLeft, atRight);
    rows.push({ type: 'same', left: a, right: b });
    [fromLeft, fromRight] = [atLeft + 1, atRight + 1];
  }
  between(left.length, right.length);
  return rows;
}

function paired<Item>(left: Item[], right: Item[], kind: ((item: Item) => string) | undefined): Aligned<Item>[] {
  const places = kind ? commonPlaces(left.map(kind), right.map(kind)) : [];
  const rows: Aligned<Item>[] = [];
  let [fromLeft, fromRight] = [0, 0];
  const alone = (toLeft: number, toRight: number): void => {
    for (const item of left.slice(fromLeft, toLeft)) rows.push({ type: 'left', left: item });
    for (const item of right.slice(fromRight, toRight)) rows.push({ type: 'right', right: item });
  };
  for (const [atLeft, atRight] of places) {
    const [a, b] = [left[atLeft], right[atRight]];
    if (a === undefined || b === undefined) continue;
    alone(atLeft, atRight);
    rows.push({ type: 'changed', left: a, right: b });
    [fromLeft, fromRight] = [atLeft + 1, atRight + 1];
  }
  alone(left.length, right.length);
  return rows;
}

/** The places of a longest common sequence, in order. */
function commonPlaces(left: readonly string[], right: readonly string[]): [left: number, right: number][] {
  if (left.length > longest || right.length > longest) return samePlaces(left, right);
  const lengths = lengthsFrom(left, right);
  const lengthAt = (a: number, b: number): number => lengths[a]?.[b] ?? 0;
  const places: [number, number][] = [];
  let [a, b] = [0, 0];
  while (a < left.length && b < right.length) {
    if (left[a] === right[b]) places.push([a++, b++]);
    else if (lengthAt(a + 1, b) >= lengthAt(a, b + 1)) a++;
    else b++;
  }
  return places;
}

/** `[a][b]`: how long the common sequence of what is left from there on is. */
function lengthsFrom(left: readonly string[], right: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let a = left.length - 1; a >= 0; a--) {
    const [row, below] = [lengths[a], lengths[a + 1]];
    if (!(row && below)) continue;
    for (let b = right.length - 1; b >= 0; b--) {
      row[b] = left[a] === right[b] ? 1 + (below[b + 1] ?? 0) : Math.max(below[b] ?? 0, row[b + 1] ?? 0);
    }
  }
  return lengths;
}

function samePlaces(left: readonly string[], right: readonly string[]): [number, number][] {
  return left.flatMap((key, at): [number, number][] => (key === right[at] ? [[at, at]] : []));
}
