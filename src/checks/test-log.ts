import type { Attempt, Issue, Observation } from '../core/attempt.ts';
import type { Task } from '../core/task.ts';
import type { Check } from './check.ts';
import { sentencesOf } from './statements.ts';
import { type TestCounts, testCounts } from './test-counts.ts';

/** Words in the names of tools that can have run a test. */
const runners = new Set(
  'run exec execute shell bash terminal command test tests python node code script sandbox interpreter ci pytest vitest jest npm'.split(
    ' ',
  ),
);

const passes = new RegExp(
  [
    String.raw`\b(?:all|every|each|the|both|my|these|those|\d+|\d+ of \d+|\d+\/\d+)\s+(?:\w+\s+){0,3}?(?:tests?|specs?|test cases?|test suites?|assertions?)\s+(?:(?:have|has|had|now|are|is|were|all|still|successfully|currently)\s+){0,3}(?:pass(?:ed|es|ing)?|succeed(?:ed|s)?|green)\b`,
    String.raw`\b(?:\d+|all)\s+(?:tests?\s+)?passed\b`,
    String.raw`\bpass(?:es|ed) all (?:\w+\s+){0,3}tests\b`,
    String.raw`\btests? (?:suite )?(?:passed|passes|is green|are green|ran successfully)\b`,
    String.raw`\bexit(?:ed)?(?: with)?(?: code| status)? 0\b`,
    String.raw`(?:所有|全部|\d+\s*个)(?:的)?(?:单元|集成|回归)?测试(?:用例)?(?:均|都|已|全部|现已|现在)*通过`,
    '测试(?:用例)?(?:已|均|都)?(?:全部|全都)通过',
  ].join('|'),
  'iu',
);
const conditional =
  /\?|？|\b(?:if|when|once|until|unless|whether|ensure|make sure|should|must|would|will|could|can|might|may|please|before|after|so that|expect(?:ed)?|verify that|check that|cannot|not|n't|never|no)\b|如果|若|当|直到|确保|应该|应当|必须|需要|请|可以|预期|未|没有|不能|无法|是否/iu;
const aboutCode =
  /```|\b(?:code|function|bug|unit tests?|test suite|run (?:the |all )?tests|npm test|repo(?:sitory)?|script|implement|refactor|fix|pytest|jest|vitest|compile|module|class|npm|cargo)\b|代码|函数|单元测试|运行测试|脚本|实现|修复|编写|程序/iu;

interface Statement {
  text: string;
  claim?: string;
  counts?: TestCounts;
}

/**
 * Tests passed only if a tool ran them: a log or a sentence in the answer that says so needs an `ok` observation of a
 * tool that runs programs, or stands in a result or in the task word for word (then it is reported, not claimed). Counts
 * have to be those of a result, and the last result with counts has no failures.
 */
export const testLog: Check = {
  name: 'testLog',
  run(attempt, task) {
    const stated = statementsIn(attempt, task);
    if (stated.length === 0) return [];
    const usable = attempt.observations.filter(({ status }) => status === 'ok');
    const runs = usable.filter(({ tool }) => runsPrograms(tool));
    const given = [task.input, ...task.constraints, ...usable.map(({ content }) => content)];
    const open = stated.filter(({ text }) => !given.some((source) => reports(source, text)));
    const [first] = open.flatMap((statement) => faultOf(statement, runs) ?? []);
    return first ? [first] : [];
  },
};

function runsPrograms(tool: string): boolean {
  const words = tool
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => runners.has(word));
}

function statementsIn({ answer = '', claims }: Attempt, task: Task): Statement[] {
  const software = aboutCode.test([task.input, ...task.constraints, answer].join('\n'));
  const found: Statement[] = [];
  for (const { text, claim } of [
    ...claims.map(({ text }) => ({ text, claim: text })),
    { text: answer, claim: undefined },
  ]) {
    const about = claim === undefined ? {} : { claim };
    const counts = testCounts(text);
    if (counts && counts.passed > 0) found.push({ text: logOf(text), counts, ...about });
    if (!software) continue;
    for (const sentence of sentencesOf(text.replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n')))
      if (passes.test(sentence) && !conditional.test(sentence))
        found.push({ text: sentence.trim(), ...countsIn(sentence), ...about });
  }
  return found;
}

/** The line of a log that holds its sum. */
function logOf(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => (testCounts(line)?.passed ?? 0) > 0)
      ?.trim() ?? text.trim()
  );
}

function countsIn(sentence: string): { counts?: TestCounts } {
  const passed = /(\d+)\s*(?:\w+\s+){0,3}?(?:tests?\s+)?(?:pass|个(?:\S{0,4})?测试)/iu.exec(sentence)?.[1];
  return passed === undefined ? {} : { counts: { passed: Number(passed), failed: 0, skipped: 0 } };
}

/** True when the source has the text, or each part of it that says so with a number. */
function reports(source: string, text: string): boolean {
  const plain = (whole: string): string =>
    ` ${whole
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()} `;
  const said = [...text.matchAll(new RegExp(passes, 'giu'))].map(([part]) => part);
  const parts = said.length > 0 && said.every((part) => /\d/.test(part)) ? said : [text];
  return parts.every((part) => {
    const count = /pass|通过/iu.test(part) ? /\d+/.exec(part)?.[0] : undefined;
    const sameCount = count !== undefined && new RegExp(`\\b${count}\\b[^\\n]{0,20}(?:pass|通过)`, 'iu').test(source);
    return sameCount || plain(source).includes(plain(part));
  });
}

function faultOf({ text, claim, counts }: Statement, runs: readonly Observation[]): Issue | undefined {
  const shown = text.length > 160 ? `${text.slice(0, 160)}…` : text;
  const fault = (detail: string, requiredAction: string): Issue => ({
    ...{ type: 'unsupported_claim', detail, requiredAction },
    ...(claim !== undefined && { claim }),
  });
  if (runs.length === 0)
    return fault(
      `"${shown}" is said of tests, but no tool ran any`,
      'run the tests with a tool and report what it returned, or drop this',
    );
  const results = runs.flatMap(({ content }) => testCounts(readable(content)) ?? []);
  const last = results.at(-1);
  if (last && last.failed > 0)
    return fault(
      `"${shown}" is said, but the last test run had ${last.failed} failed`,
      'mend the code and run the tests again, or report the failures',
    );
  if (/"ended":\s*"(?!completed)|"exitCode":\s*[1-9]/.test(runs.at(-1)?.content ?? ''))
    return fault(
      `"${shown}" is said, but the last run ended with an error`,
      'mend it, run the tests again, and report the result',
    );
  const known =
    counts === undefined || results.length === 0 || results.some((result) => result.passed === counts.passed);
  return known
    ? undefined
    : fault(
        `"${shown}" is said, but the test runs had ${results.map(({ passed }) => passed).join(', ')} passed`,
        'report the counts of the last test run',
      );
}

/** Tools return JSON with the output as a string: its line breaks are written as \n there, and it begins after a name. */
function readable(content: string): string {
  return content
    .replace(/":\s*"/g, '":\n')
    .replace(/\\n/g, '\n')
    .replace(/\\u001b/g, '\x1b');
}
