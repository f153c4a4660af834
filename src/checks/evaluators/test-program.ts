/**
 * A program that runs a stranger's code and then tests against it, and says in its last value what came of each test.
 *
 * 1. The verdict is the value of the last expression with a mark that the code is not given: neither what the code prints nor an early
 *    exit can pass for it. Code that searches its own process for the mark could forge it; walls against that are not in one process.
 * 2. The value is text without a character that any of the engines would escape, so that it is read alike from all of them.
 * 3. Every test has a result of its own: one that fails, throws or cannot be parsed does not hide the others.
 */
import type { Language } from '../../tools/builtin/run-code/sandbox.ts';

/** `invalid`: the test itself could not be parsed. */
export type TestResult = 'pass' | 'fail' | 'invalid';

export interface TestOutcome {
  result: TestResult;
  message: string;
}

/** Of one message; the engines cut long values. */
const messageChars = 160;
const shownMessages = 20;

/** The program for the engine of the language. */
export function testProgram(job: { language: Language; code: string; tests: readonly string[]; mark: string }): string {
  return job.language === 'python' ? pythonProgram(job) : scriptProgram(job);
}

/** What the program said: the outcomes, or why the code itself could not be loaded. */
export type TestReport = { outcomes: TestOutcome[] } | { broken: string };

/** The report from the program's last value; nothing when the program did not get to its end. */
export function readReport(value: string | undefined, mark: string): TestReport | undefined {
  if (value === undefined) return undefined;
  try {
    const [found, said] = JSON.parse(decodeURIComponent(value.slice(1, -1))) as [
      string,
      string | [TestResult, string][],
    ];
    if (found !== mark) return undefined;
    if (typeof said === 'string') return { broken: said };
    return { outcomes: said.map(([result, message]) => ({ result, message })) };
  } catch {
    return undefined;
  }
}

function pythonProgram({ code, tests, mark }: { code: string; tests: readonly string[]; mark: string }): string {
  // A JSON text in a JSON string is a literal of Python too.
  const literal = JSON.stringify(JSON.stringify({ code, tests, mark }));
  return `${pythonHarness}\nassay_tests(${literal})\n`;
}

const pythonHarness = `
def assay_tests(text):
    import ast, json, linecache, sys, traceback, types, urllib.parse

    job = json.loads(text)
    name = 'answer.py'
    answer = types.ModuleType('answer')
    sys.modules['answer'] = answer
    source = job['code']
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    outcomes = []

    def report(said):
        return urllib.parse.quote(json.dumps([job['mark'], said]), safe='')

    try:
        exec(compile(source, name, 'exec'), answer.__dict__)
    except BaseException as error:
        # Without the frames of this program, which hold the tests and the mark.
        trace = error.__traceback__.tb_next
        return report(''.join(traceback.format_exception(type(error), error, trace))[-1500:])

    def left_value(tree):
        last = tree.body[-1]
        if not (isinstance(last, ast.Assert) and isinstance(last.test, ast.Compare)):
            return ''
        left = last.test.left
        value = eval(compile(ast.Expression(left), 'test', 'eval'), answer.__dict__)
        return f': {ast.unparse(left)} is {value!r}'

    def run(source):
        try:
            tree = ast.parse(source, 'test')
        except (SyntaxError, ValueError) as error:
            return ['invalid', str(error)]
        try:
            exec(compile(tree, 'test', 'exec'), answer.__dict__)
            return ['pass', '']
        except BaseException as error:
            message = f'{type(error).__name__}: {error}' if str(error) else type(error).__name__
            if isinstance(error, AssertionError):
                try:
                    message += left_value(tree)
                except BaseException:
                    pass
            return ['fail', message]

    for test in job['tests']:
        result, message = run(test)
        kept = message[:${messageChars}] if sum(1 for _, shown in outcomes if shown) < ${shownMessages} else ''
        outcomes.append([result, kept])
    return report(outcomes)
`;

/** The tests see the code's top level by a direct `eval`, and an `assert` that the code cannot replace. */
function scriptProgram({ code, tests, mark }: { code: string; tests: readonly string[]; mark: string }): string {
  const commonJs = /\b(?:module\s*\.\s*)?exports\b/.test(code)
    ? 'var module = { exports: {} }, exports = module.exports; '
    : '';
  return `${commonJs}${withoutDefaultExport(code)}
;export default await (async () => {
${scriptHarness}
const outcomes = [];
for (const source of ${JSON.stringify(tests)}) {
  let test;
  let result = 'pass';
  let message = '';
  try {
    test = eval('(async (assert) => {' + source + '\\n})');
  } catch (error) {
    [result, message] = ['invalid', String(error)];
  }
  try {
    await test?.(assert);
  } catch (error) {
    [result, message] = ['fail', String(error)];
  }
  const shown = outcomes.filter(([, known]) => known !== '').length;
  outcomes.push([result, shown < ${shownMessages} ? message.slice(0, ${messageChars}) : '']);
}
return encodeURIComponent(JSON.stringify([${JSON.stringify(mark)}, outcomes]).toWellFormed()).replaceAll("'", '%27');
})();
`;
}

/** A module has one default export, and that one is the report. */
function withoutDefaultExport(code: string): string {
  return code
    .replace(/^([ \t]*)export\s+default\s+(?=(?:async\s+)?function\s*\*?\s*[\w$]|class\s+(?!extends\b)[\w$])/gm, '$1')
    .replace(/^([ \t]*)export\s+default\s+/gm, '$1const defaultExport = ');
}

const scriptHarness = `
const shown = (value) => {
  if (typeof value === 'bigint') return value + 'n';
  if (Object.is(value, -0)) return '-0';
  if (value === undefined || typeof value === 'number' || typeof value === 'function') return String(value);
  try { return JSON.stringify(value, (key, item) => (typeof item === 'bigint' ? item + 'n' : item)) ?? String(value); } catch { return String(value); }
};
const same = (left, right) => {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (left instanceof Date) return left.getTime() === right.getTime();
  if (left instanceof Map || left instanceof Set) return left.size === right.size && same([...left], [...right]);
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]));
};
const fail = (message) => { throw new Error(message); };
const assert = (value, message) => { if (!value) fail(message ?? 'not true: ' + shown(value)); };
assert.ok = assert;
assert.equal = assert.strictEqual = (actual, expected, message) => {
  if (!Object.is(actual, expected)) fail(message ?? 'got ' + shown(actual) + ', expected ' + shown(expected));
};
assert.notEqual = assert.notStrictEqual = (actual, expected, message) => {
  if (Object.is(actual, expected)) fail(message ?? 'got ' + shown(actual));
};
assert.deepEqual = assert.deepStrictEqual = (actual, expected, message) => {
  if (!same(actual, expected)) fail(message ?? 'got ' + shown(actual) + ', expected ' + shown(expected));
};
assert.throws = (run, message) => {
  let thrown = false;
  try { run(); } catch { thrown = true; }
  if (!thrown) fail(typeof message === 'string' ? message : 'nothing was thrown');
};
assert.rejects = async (run, message) => {
  let thrown = false;
  try { await (typeof run === 'function' ? run() : run); } catch { thrown = true; }
  if (!thrown) fail(typeof message === 'string' ? message : 'nothing was rejected');
};
`;
