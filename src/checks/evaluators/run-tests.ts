import { UsageError } from '../../core/errors.ts';
import type { CodeLimits, Language, SandboxKind } from '../../tools/builtin/run-code/sandbox.ts';
import type { CheckContext } from '../check.ts';
import { timedStep } from '../evaluators.ts';
import { readReport, type TestOutcome, testProgram } from './test-program.ts';

/** One test: a piece of code that throws when the code under test is wrong. A named one is told by its name alone. */
export type CodeTest = string | { name: string; code: string };

export interface SandboxOptions {
  /** As in `runCode`. Default `auto`. */
  sandbox?: SandboxKind | 'auto' | undefined;
  /** Of code and tests together. Default 10,000. */
  timeoutMs?: number | undefined;
  /** Default 256. */
  memoryMb?: number | undefined;
}

/** What came of the tests; without outcomes the code did not let them run, and `why` says how it ended. */
export interface TestRun {
  outcomes: TestOutcome[];
  why?: string;
}

const maxOutputBytes = 64 * 1024;
const whyChars = 1_500;

/** Throws `UsageError` for a limit that is not a positive number. */
export function codeLimits({ timeoutMs = 10_000, memoryMb = 256 }: SandboxOptions): CodeLimits {
  for (const [name, value] of Object.entries({ timeoutMs, memoryMb })) {
    if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`${name}: ${value} is not a positive number`);
  }
  return { timeoutMs, memoryMb, maxOutputBytes };
}

/**
 * Runs tests against code in the sandbox of `runCode`, in one step and one process. Rejects when there is no sandbox for the language.
 * JavaScript tests may use `assert` (`equal`, `deepEqual`, `throws`, `rejects`) and `await`; those of TypeScript code are JavaScript.
 */
export function runTests(
  context: CheckContext,
  job: { language: Language; code: string; tests: readonly string[] },
  options: SandboxOptions,
): Promise<TestRun> {
  const limits = codeLimits(options);
  return timedStep(context, 'evaluate.tests', async ({ signal }) => {
    // What starts programs is loaded by the first evaluation, not by the start of the program.
    const [{ chooseSandbox }, { runInSandbox }] = await Promise.all([
      import('../../tools/builtin/run-code/choose-sandbox.ts'),
      import('../../tools/builtin/run-code/run-in-sandbox.ts'),
    ]);
    const mark = crypto.randomUUID();
    const sandbox = await chooseSandbox(job.language, options.sandbox ?? 'auto');
    const program = { language: job.language, code: testProgram({ ...job, mark }), stdin: '' };
    const outcome = await runInSandbox(sandbox, program, limits, signal);
    const report = outcome.ended === 'completed' ? readReport(outcome.result, mark) : undefined;
    if (report) return 'broken' in report ? { outcomes: [], why: report.broken.trim() } : report;
    // A module that is given as a URL stands in errors with all its text.
    const said = outcome.stderr
      .replace(/\bdata:[\w/]+;base64,[\w+/=]+/g, 'main.js')
      .trim()
      .slice(-whyChars);
    if (outcome.ended === 'timeout') return { outcomes: [], why: `the code did not end within ${limits.timeoutMs} ms` };
    if (outcome.ended === 'completed') return { outcomes: [], why: 'the code ended the program before the tests ran' };
    return { outcomes: [], why: said === '' ? `the code was ended: ${outcome.ended}` : said };
  });
}

/** The code of a test. */
export function testCode(test: CodeTest): string {
  return typeof test === 'string' ? test : test.code;
}

/** What a test is called where it is told that it failed. */
export function testTitle(test: CodeTest): string {
  return typeof test === 'string' ? test.trim() : test.name;
}
