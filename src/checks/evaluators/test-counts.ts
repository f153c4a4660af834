/** How many tests an output says were run. */
export interface TestCounts {
  /** Skipped ones left out. */
  executed: number;
  failed: number;
}

type Reader = (text: string) => TestCounts | undefined;

/** Each knows the summary of one family of test runners; a summary is the last of its kind, since runners may call each other. */
const readers: readonly Reader[] = [
  // node:test, in TAP and in its own form.
  (text) => fromTotals(last(text, /^(?:#|ℹ) tests (\d+)$/gm), text, /^(?:#|ℹ) (fail|cancelled|skipped|todo) (\d+)$/gm),
  // Vitest and Jest.
  (text) => fromWords(last(text, /^\s*Tests:?\s+((?:\d+ \w+[ |,]*)+)(?:\(\d+\)|\d+ total)?/gm)),
  // pytest.
  (text) =>
    fromWords(
      last(
        text,
        /^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?),? ?)+)in [\d.]+/gm,
      ),
    ),
  // unittest.
  (text) => unittest(text),
  // Mocha.
  (text) => mocha(text),
  // cargo test, each crate with a line of its own.
  (text) => sum([...text.matchAll(/^test result: \S+ ((?:\d+ \w+; )+)/gm)].map(([, words]) => fromWords(words))),
  // RSpec.
  (text) => rspec(last(text, /^(\d+ examples?, \d+ failures?)/gm)),
  // go test -v.
  (text) => goTest(text),
];

const nothingRan =
  /^(?:no tests ran|no tests? (?:files )?found|no test files found|\?\s+\S+\s+\[no test files\]|=+ no tests ran in .*|testing: warning: no tests to run)/im;

/** What a test runner's output states; undefined when no known summary stands in it. */
export function testCounts(output: string): TestCounts | undefined {
  for (const read of readers) {
    const counts = read(output);
    if (counts) return counts;
  }
  return nothingRan.test(output) ? { executed: 0, failed: 0 } : undefined;
}

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

const notExecuted = /^(?:skipped|pending|todo|ignored|deselected|measured|filtered|total|warnings?)$/;
const failures = /^(?:failed|errors?|failing|cancelled)$/;

/** `2 failed | 3 passed`, in any order. */
function fromWords(words: string | undefined): TestCounts | undefined {
  if (words === undefined) return undefined;
  let executed = 0;
  let failed = 0;
  for (const [, count = '0', word = ''] of words.matchAll(/(\d+) (\w+)/g)) {
    if (notExecuted.test(word)) continue;
    executed += Number(count);
    if (failures.test(word)) failed += Number(count);
  }
  return { executed, failed };
}

function fromTotals(total: string | undefined, text: string, pattern: RegExp): TestCounts | undefined {
  if (total === undefined) return undefined;
  const counts = new Map([...text.matchAll(pattern)].map(([, word = '', count = '0']) => [word, Number(count)]));
  const of = (word: string): number => counts.get(word) ?? 0;
  return { executed: Number(total) - of('skipped') - of('todo'), failed: of('fail') + of('cancelled') };
}

function unittest(text: string): TestCounts | undefined {
  const total = last(text, /^Ran (\d+) tests? in /gm);
  if (total === undefined) return undefined;
  const ended = last(text, /^(?:OK|FAILED) ?\((.*)\)$/gm) ?? '';
  const of = (word: string): number => Number(new RegExp(`${word}=(\\d+)`).exec(ended)?.[1] ?? 0);
  return { executed: Number(total) - of('skipped'), failed: of('failures') + of('errors') };
}

function mocha(text: string): TestCounts | undefined {
  const passed = last(text, /^\s*(\d+) passing\b/gm);
  if (passed === undefined) return undefined;
  const failed = Number(last(text, /^\s*(\d+) failing\b/gm) ?? 0);
  return { executed: Number(passed) + failed, failed };
}

function rspec(summary: string | undefined): TestCounts | undefined {
  if (summary === undefined) return undefined;
  const [executed = 0, failed = 0] = (summary.match(/\d+/g) ?? []).map(Number);
  return { executed, failed };
}

function goTest(text: string): TestCounts | undefined {
  const ended = [...text.matchAll(/^\s*--- (PASS|FAIL): /gm)].map(([, result]) => result);
  if (ended.length === 0) return undefined;
  return { executed: ended.length, failed: ended.filter((result) => result === 'FAIL').length };
}

function sum(parts: readonly (TestCounts | undefined)[]): TestCounts | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const total = (pick: (counts: TestCounts) => number): number => known.reduce((all, part) => all + pick(part), 0);
  return { executed: total(({ executed }) => executed), failed: total(({ failed }) => failed) };
}
