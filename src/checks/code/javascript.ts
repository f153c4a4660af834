import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import { messageOf } from '../../core/errors.ts';
import { parameterNames } from './parameter-names.ts';
import { type CodeJob, type CodeReport, reportFrom } from './report.ts';

/** Why the code does not parse; undefined when it does. Nothing is run. Code with `import` is left to the sandbox. */
export function javascriptSyntax(source: string, language: 'javascript' | 'typescript'): string | undefined {
  const plain = withoutExports(source);
  try {
    const code = language === 'typescript' ? stripTypeScriptTypes(plain) : plain;
    // A module may await at its top.
    if (!/^\s*import\b/m.test(code)) new Script(/\bawait\b/.test(code) ? `async () => {${code}\n}` : code);
    return undefined;
  } catch (error) {
    return messageOf(error).slice(0, 300);
  }
}

/** What is exported is defined all the same, and a program without `export` is a script whose names the tests see. */
function withoutExports(source: string): string {
  return source
    .replace(/^[ \t]*export\s*(?:\*|\{[^}]*\})(?:\s*from\s*(['"])[^'"\n]*\1)?[ \t]*;?[ \t]*$/gm, '')
    .replace(
      /^([ \t]*)export\s+(?:default\s+)?(?=(?:async\s+)?function\b|(?:abstract\s+)?class\b|const\b|let\b|var\b|interface\b|type\b|enum\b|declare\b)/gm,
      '$1',
    )
    .replace(/^([ \t]*)export\s+default\s+/gm, '$1globalThis.answer = ');
}

/** A program that runs the answer, then the tests, and ends with its report as the value of the last expression. */
export function javascriptProgram({ source, tests, signature, mark }: CodeJob): string {
  const name = signature?.name;
  const method = name?.includes('.') ? name.replace(/\.(?=[^.]*$)/, '.prototype.') : undefined;
  const wanted = name === undefined ? 'undefined' : method ? `${method} ?? ${name}` : name;
  const each = tests.map(
    (test) =>
      `  try { await (async () => {\n${test.code}\n})(); } catch (error) { report.failures.push({ name: ${JSON.stringify(test.name)}, message: said(error) }); }\n`,
  );
  return `${prelude}
${withoutExports(source)}
;(async () => {
  const said = (error) => String(error && error.message ? error.name + ': ' + error.message : error).slice(0, 300);
  const report = { failures: [] };
  try {
    const wanted = ${wanted};
    if (typeof wanted === 'function') report.defined = Function.prototype.toString.call(wanted).slice(0, 2000);
  } catch (error) {
    if (!(error instanceof ReferenceError) && !(error instanceof TypeError)) throw error;
  }
${each.join('')}  report.failures = report.failures.slice(0, 20);
  return ${JSON.stringify(mark)} + encodeURIComponent(JSON.stringify(report)).replace(/'/g, '%27');
})()
`;
}

const prelude = `globalThis.assert = (condition, message) => { if (!condition) throw new Error(message ?? 'the assertion is false'); };
globalThis.assertEqual = (() => {
  const text = (value) => JSON.stringify(value, (_, item) =>
    typeof item === 'bigint' ? item + 'n' : item === undefined ? '<undefined>' : Object.is(item, -0) ? 0
      : typeof item === 'number' && !Number.isFinite(item) ? String(item)
      : item instanceof Map || item instanceof Set ? [...item]
      : item && typeof item === 'object' && !Array.isArray(item) ? Object.fromEntries(Object.entries(item).sort()) : item);
  return (actual, expected) => { if (text(actual) !== text(expected)) throw new Error('got ' + text(actual) + ', expected ' + text(expected)); };
})();`;

export function readJavascriptReport(outcome: unknown, mark: string): CodeReport {
  return reportFrom(outcome, (result) => {
    const at = result.indexOf(mark);
    if (at < 0) return undefined;
    // The program above wrote it.
    const report = JSON.parse(
      decodeURIComponent(result.slice(at + mark.length).replace(/['"`]$/, '')),
    ) as Partial<CodeReport> & {
      defined?: string;
    };
    const { defined, ...rest } = report;
    return { ...rest, ...(defined !== undefined && { parameters: parameterNames(defined) }) };
  });
}
