import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import type { Step } from '../core/step.ts';
import type { Check } from './check.ts';
import { codeOf } from './code/code-of.ts';
import { javascriptProgram, javascriptSyntax, readJavascriptReport } from './code/javascript.ts';
import { linterWords, lintProblems } from './code/lint.ts';
import { pythonProgram, readPythonReport } from './code/python.ts';
import { type CodeReport, type NamedTest, type Signature, signatureFault } from './code/report.ts';

export interface CodeOptions {
  language: 'python' | 'javascript' | 'typescript';
  /** The check's name. Default `code`. */
  name?: string;
  /**
   * Each is a piece of code in the same language that throws when the answer is wrong; it sees the names that the answer
   * defines. In JavaScript and TypeScript there are `assert(condition, message)` and `assertEqual(actual, expected)`,
   * and `await` may be used.
   */
  tests?: readonly NamedTest[];
  /** A function that the answer has to define, with its parameters. `Class.method` names a method. */
  signature?: Signature;
  /** TypeScript: strict, without packages. Needs the package `typescript`. */
  typeCheck?: boolean;
  /** A linter of yours that reads the code on standard input: `npx eslint --stdin`. Its exit code decides. */
  lint?: string;
  sandbox?: 'auto' | 'wasm' | 'native';
  /** Of answer and tests together. Default 10,000. */
  timeoutMs?: number;
  memoryMb?: number;
}

const shownFailures = 5;

/**
 * The code of the answer (its fenced block of the language) parses, defines the function asked for, and passes the
 * tests, in the sandbox of `runCode`. Nothing that the answer says of tests is looked at: they run here. A sandbox that
 * does not start fails the step. The code shares a process with its tests, so a program made to cheat could; one that
 * ends early or never returns is caught.
 */
export function code(options: CodeOptions): Check {
  const { name = 'code', language, typeCheck = false } = options;
  if (typeCheck && language !== 'typescript')
    throw new UsageError(`${name}: typeCheck is for TypeScript, not for ${language}: leave it out`);
  const linter = options.lint === undefined ? undefined : linterWords(options.lint);
  return {
    name,
    run: async ({ answer }, _task, { step }) => {
      const source = codeOf(answer ?? '', language, options.signature?.name);
      if (source === undefined)
        return [failed(`the answer has no ${language} code`, `give the code in a fenced block: \`\`\`${language}`)];
      const syntax = language === 'python' ? undefined : javascriptSyntax(source, language);
      if (syntax !== undefined) return [failed(`the code does not parse: ${syntax}`, 'correct the syntax')];
      const report = await step(`${name}.run`, ({ signal, idempotencyKey }) =>
        execute(source, { options, signal, mark: idempotencyKey }),
      );
      const issues = reportIssues(report, options);
      return issues.length > 0 ? issues : staticIssues(source, { name, typeCheck, linter, step });
    },
  };
}

/** What is found by reading the code. */
async function staticIssues(
  source: string,
  by: { name: string; typeCheck: boolean; linter: [string, ...string[]] | undefined; step: Step },
): Promise<Issue[]> {
  const { name, typeCheck, linter, step } = by;
  const issues: Issue[] = [];
  if (typeCheck) {
    const { typeErrors } = await import('./code/type-check.ts');
    const errors = await step(`${name}.types`, ({ signal }) => typeErrors(source, signal));
    if (errors.length > 0) issues.push(failed(`the code has type errors: ${listed(errors)}`, 'correct the types'));
  }
  if (linter) {
    const said = await step(`${name}.lint`, async ({ signal }) => (await lintProblems(linter, source, signal)) ?? null);
    if (said !== null) issues.push(failed(`the linter objects: ${said}`, 'correct what the linter names'));
  }
  return issues;
}

async function execute(
  source: string,
  { options, signal, mark }: { options: CodeOptions; signal: AbortSignal; mark: string },
): Promise<CodeReport> {
  const { runCode } = await import('../tools/builtin/run-code.ts');
  const { language, tests = [], signature, sandbox = 'auto', timeoutMs = 10_000, memoryMb = 256 } = options;
  const tool = runCode({ sandbox, timeoutMs, memoryMb });
  const job = { source, tests, signature, mark };
  const program = language === 'python' ? pythonProgram(job) : javascriptProgram(job);
  const outcome = await tool.run(tool.input.parse({ language, code: program }), {
    idempotencyKey: mark,
    attempt: 1,
    signal,
  });
  return language === 'python' ? readPythonReport(outcome, mark) : readJavascriptReport(outcome, mark);
}

function reportIssues(report: CodeReport, { signature, timeoutMs = 10_000 }: CodeOptions): Issue[] {
  if (report.ended === 'timeout')
    return [failed(`the code did not end within ${timeoutMs} ms`, 'make it end, and faster')];
  if (report.syntax !== undefined) return [failed(`the code does not parse: ${report.syntax}`, 'correct the syntax')];
  if (report.ended !== 'reported')
    return [
      failed(
        `the code ended before its tests did: ${report.detail}`,
        'let the program define what is asked for, and not end it',
      ),
    ];
  if (report.load !== undefined)
    return [failed(`the code fails when it is loaded: ${report.load}`, 'correct this error')];
  const wrong = signature && signatureFault(signature, report.parameters);
  if (wrong) return [failed(wrong, `define ${signature.name} as the task asks for it`)];
  if (report.failures.length === 0) return [];
  const texts = report.failures.map(({ name, message }) => `${name}: ${message}`);
  return [
    failed(`${report.failures.length} tests fail: ${listed(texts)}`, 'correct the code so that these tests pass'),
  ];
}

function listed(texts: readonly string[]): string {
  const more = texts.length > shownFailures ? `; and ${texts.length - shownFailures} more` : '';
  return texts.slice(0, shownFailures).join('; ') + more;
}

function failed(detail: string, requiredAction: string): Issue {
  return { type: 'failed_check', detail, requiredAction };
}
