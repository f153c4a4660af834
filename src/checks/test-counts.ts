/** What a test runner printed as its sum. */
export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

type Reader = (text: string) => TestCounts | undefined;

/** Colours and cursor movements, which runners print around their numbers. */
const ansi = /\x1b\[[0-9;?]*[A-Za-z]/g;

/**
 * The counts in the output of vitest, jest, mocha, pytest, unittest, go test, cargo test, TAP (node --test too) or JUnit
 * XML: of the last sum that stands in it, added up where a runner prints one for each package. Undefined where none is
 * found.
 */
export function testCounts(output: string): TestCounts | undefined {
  const text = output.replace(ansi, '').replace(/\r\n?/g, '\n');
  for (const read of readers) {
    const counts = read(text);
    if (counts) return counts;
  }
  return undefined;
}

function sumOf(parts: readonly TestCounts[]): TestCounts | undefined {
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, part) => ({
    passed: sum.passed + part.passed,
    failed: sum.failed + part.failed,
    skipped: sum.skipped + part.skipped,
  }));
}

/** The numbers before words: `2 failed, 5 passed, 1 skipped`. */
function counted(line: string): TestCounts {
  const of = (words: string): number =>
    [...line.matchAll(new RegExp(`(\\d+)\\s+(?:${words})\\b`, 'gi'))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  return {
    passed: of('pass(?:ed|ing)?|xpassed'),
    failed: of('fail(?:ed|ing|ures?)?|errors?'),
    skipped: of('skipped|pending|todo|ignored|xfailed|deselected'),
  };
}

/** `Tests  2 failed | 5 passed (7)` of vitest, `Tests: 2 failed, 5 passed, 7 total` of jest. */
const vitestOrJest: Reader = (text) => {
  const line = text.match(/^\s*Tests:?\s+(?:\d+ \w+|no tests).*$/gm)?.at(-1);
  return line === undefined ? noTests(text) : counted(line);
};

const noTests: Reader = (text) =>
  /^\s*No test(?:s| files?) found\b|^collected 0 items|^=*\s*no tests ran\b/im.test(text)
    ? { passed: 0, failed: 0, skipped: 0 }
    : undefined;

/** `===== 1 failed, 2 passed in 0.12s =====`, and `2 passed in 0.1s` with -q. */
const pytest: Reader = (text) => {
  const line = text.match(/^=*\s*(?:\d+ \w+(?:, )?)+.* in [\d.]+s\b.*$/gm)?.at(-1);
  return line === undefined ? undefined : counted(line);
};

/** `Ran 5 tests in 0.001s` and `FAILED (failures=1, errors=1, skipped=1)`. */
const unittest: Reader = (text) => {
  const ran = [...text.matchAll(/^Ran (\d+) tests? in/gm)].at(-1)?.[1];
  if (ran === undefined) return undefined;
  const of = (name: string): number =>
    Number([...text.matchAll(new RegExp(`\\b${name}=(\\d+)`, 'g'))].at(-1)?.[1] ?? 0);
  const [failed, skipped] = [of('failures') + of('errors'), of('skipped')];
  return { passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped };
};

/** `test result: ok. 5 passed; 0 failed; 1 ignored; …`, one for each crate and kind. */
const cargo: Reader = (text) => sumOf((text.match(/^test result: .*$/gm) ?? []).map(counted));

/** `--- PASS: TestName` with -v; without, `ok  package  0.1s` counts as one that passed. */
const go: Reader = (text) => {
  const number = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const named = {
    passed: number(/^\s*--- PASS: /gm),
    failed: number(/^\s*--- FAIL: /gm),
    skipped: number(/^\s*--- SKIP: /gm),
  };
  if (named.passed + named.skipped > 0) return named;
  const packages = {
    passed: number(/^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*no tests to run)/gm),
    failed: named.failed || number(/^FAIL\s+\S+\s+/gm),
    skipped: 0,
  };
  const empty = /^(?:ok|\?)\s+\S+.*\[no test(?:s to run| files)\]/m.test(text);
  return packages.passed + packages.failed > 0 || empty ? packages : undefined;
};

/** `# pass 5` lines at the end of node --test and other TAP; else its `ok` and `not ok` lines. */
const tap: Reader = (text) => {
  const of = (name: string): number | undefined => {
    const found = [...text.matchAll(new RegExp(`^[#ℹ] ${name}\\s+(\\d+)`, 'gm'))].at(-1)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const passed = of('pass');
  if (passed !== undefined)
    return {
      passed,
      failed: (of('fail') ?? 0) + (of('cancelled') ?? 0),
      skipped: (of('skipped') ?? of('skip') ?? 0) + (of('todo') ?? 0),
    };
  const plan = /^(?:TAP version \d+|\d+\.\.\d+)/m.test(text);
  const lines = plan ? (text.match(/^(?:not )?ok\b.*$/gm) ?? []) : [];
  const skipped = lines.filter((line) => /#\s*(?:skip|todo)/i.test(line)).length;
  const failed = lines.filter((line) => line.startsWith('not ok') && !/#\s*(?:skip|todo)/i.test(line)).length;
  return plan ? { passed: lines.length - failed - skipped, failed, skipped } : undefined;
};

/** `8 examples, 2 failures, 1 pending` of RSpec. */
const rspec: Reader = (text) => {
  const found = [...text.matchAll(/^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/gm)].at(-1);
  if (!found) return undefined;
  const [ran = 0, failed = 0, skipped = 0] = found.slice(1).map((count) => Number(count ?? 0));
  return { passed: Math.max(0, ran - failed - skipped), failed, skipped };
};

/** `5 passing`, `1 failing` of mocha. */
const mocha: Reader = (text) => {
  const lines = text.match(/^\s+\d+ (?:passing|failing|pending)\b.*$/gm);
  return lines ? counted(lines.join('\n').replace(/\(.*?\)/g, '')) : undefined;
};

/** `Tests run: 5, Failures: 1, Errors: 0, Skipped: 1` of Maven, and the attributes of JUnit XML, RSpec. */
const junit: Reader = (text) => {
  const line = [...text.matchAll(/Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?/g)].at(-1);
  const tag = /<testsuites?\b[^>]*\btests="\d+"[^>]*>/.exec(text)?.[0];
  const of = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(tag ?? '')?.[1] ?? 0);
  const [ran, failures, errors, skipped] = line
    ? line.slice(1).map((count) => Number(count ?? 0))
    : [of('tests'), of('failures'), of('errors'), of('skipped')];
  if (!line && !tag) return undefined;
  const failed = (failures ?? 0) + (errors ?? 0);
  return { passed: Math.max(0, (ran ?? 0) - failed - (skipped ?? 0)), failed, skipped: skipped ?? 0 };
};

const readers: readonly Reader[] = [cargo, pytest, unittest, vitestOrJest, mocha, rspec, junit, tap, go];
