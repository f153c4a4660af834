/**
 * How many tokens a text has, for when nobody who knows has said: before a call, and after one whose provider reported nothing.
 *
 * Each vendor cuts texts in its own way, so a count is of one family only. Both ways here aim at o200k, OpenAI's: an estimate by script,
 * which costs nothing to speak of, and the tokenizer itself where `gpt-tokenizer` is installed.
 */

/**
 * Tokens by what a text is made of, fitted to o200k over prose in 33 languages, code, JSON, tables and logs. `word`: a run of Latin
 * letters; `long`: each of its letters after the seventh; `accented`: on top of that. `number`: up to three digits. `indent`: several
 * spaces. The others: each code unit.
 */
const weights = {
  word: 0.91,
  long: 0.66,
  accented: 0.58,
  number: 1.47,
  indent: 0.41,
  line: 1.16,
  mark: 0.52,
  cyrillic: 0.3,
  greek: 0.39,
  arabic: 0.4,
  hebrew: 0.45,
  indic: 0.35,
  southeast: 0.39,
  han: 0.76,
  kana: 0.68,
  hangul: 0.74,
  wide: 1,
  symbol: 1.2,
  other: 0.53,
} as const;

/** Kinds of code units that count by their run; they come first, so that one comparison tells them. */
const running = ['lower', 'upper', 'accented', 'digit', 'space', 'line'] as const;
const [, upper, accented, digit, space, line] = [0, 1, 2, 3, 4, 5] as const;
const alone = Object.keys(weights) as (keyof typeof weights)[];
const weightAlone = Float64Array.from([...running.map(() => 0), ...Object.values(weights)]);

type Kind = keyof typeof weights | (typeof running)[number];

/** The first code unit that is not of the kind any more, in rising order. */
const blocks: readonly [end: number, kind: Kind][] = [
  [0x09, 'other'],
  [0x0a, 'space'],
  [0x0b, 'line'],
  [0x0d, 'other'],
  [0x0e, 'line'],
  [0x20, 'other'],
  [0x21, 'space'],
  [0x30, 'mark'],
  [0x3a, 'digit'],
  [0x41, 'mark'],
  [0x5b, 'upper'],
  [0x61, 'mark'],
  [0x7b, 'lower'],
  [0xc0, 'mark'],
  [0x370, 'accented'],
  [0x400, 'greek'],
  [0x530, 'cyrillic'],
  [0x590, 'other'],
  [0x600, 'hebrew'],
  [0x780, 'arabic'],
  [0x900, 'other'],
  [0xe00, 'indic'],
  [0x1100, 'southeast'],
  [0x2000, 'other'],
  [0x2e80, 'symbol'],
  [0x3040, 'wide'],
  [0x3100, 'kana'],
  [0xa000, 'han'],
  [0xac00, 'other'],
  [0xd7b0, 'hangul'],
  [0xd800, 'other'],
  [0xe000, 'symbol'],
  [0xff00, 'other'],
  [0xfff0, 'wide'],
  [0x10000, 'other'],
];

const kinds: Uint8Array = kindsByUnit();

function kindsByUnit(): Uint8Array {
  const names: readonly Kind[] = [...running, ...alone];
  const units = new Uint8Array(0x10000);
  let begin = 0;
  for (const [end, kind] of blocks) {
    units.fill(names.indexOf(kind), begin, end);
    begin = end;
  }
  return units;
}

/** Longer texts are read in stretches that stand for the whole. */
const readWhole = 2_048;
const stretches = 8;
const stretch = 128;

/** About how many tokens a text has: mostly within an eighth for prose, data and code, worse for keys and base64. Never negative. */
export function estimateTokens(text: string): number {
  if (text.length <= readWhole) return Math.ceil(weigh(text, 0, text.length));
  let weight = 0;
  for (let index = 0; index < stretches; index++) {
    const from = Math.floor((index * (text.length - stretch)) / (stretches - 1));
    weight += weigh(text, from, from + stretch);
  }
  return Math.ceil((weight / (stretches * stretch)) * text.length);
}

function weigh(text: string, from: number, to: number): number {
  let weight = 0;
  let before = -1;
  let run = 0;
  for (let index = from; index < to; index++) {
    const kind = kinds[text.charCodeAt(index)] ?? 0;
    if (kind > line) weight += weightAlone[kind] ?? 0;
    else {
      run = goesOn(before, kind) ? run + 1 : 1;
      weight += weightInRun(kind, run);
    }
    before = kind;
  }
  return weight;
}

/** Whether the run of the unit before goes on. A capital after a small letter begins a word. */
function goesOn(before: number, kind: number): boolean {
  if (kind === before) return true;
  if (kind > accented || before > accented || before < 0) return false;
  return kind !== upper || before === accented;
}

function weightInRun(kind: number, run: number): number {
  if (kind <= accented) {
    const letter = run === 1 ? weights.word : run > 7 ? weights.long : 0;
    return kind === accented ? letter + weights.accented : letter;
  }
  if (kind === digit) return run % 3 === 1 ? weights.number : 0;
  if (kind === space) return run === 2 ? weights.indent : 0;
  return run === 1 ? weights.line : 0;
}

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

const tokenizer = 'gpt-tokenizer/encoding/o200k_base';
let loading: Promise<CountTokens> | undefined;

/** The tokenizer where it is installed, else the estimate. It takes a quarter of a second and 80 MB, so it is loaded when it is needed. */
export function bestCount(): Promise<CountTokens> {
  loading ??= import(tokenizer).then(
    // An optional peer without types here.
    ({ countTokens }: { countTokens: CountTokens }) => countTokens,
    () => estimateTokens,
  );
  return loading;
}
