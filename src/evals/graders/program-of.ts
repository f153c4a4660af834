/** The program that an answer to a programming task stands for: a whole module, or a body that goes on where the task's code ends. */
import { codeOf } from '../../checks/evaluators/code-of.ts';
import { fencedCode } from '../../checks/fenced-blocks.ts';
import type { Language } from '../../tools/builtin/run-code/sandbox.ts';
import type { EvalTask } from '../suite.ts';

const codeStart =
  /^(?:from\s+\S+\s+import\b|import\b|(?:async\s+)?def\s|class\s|@|#|"""|(?:export\s+)?(?:async\s+)?function\b|(?:export\s+)?(?:const|let|var)\b|\/[/*]|[\p{L}_]\w*\s*=[^=])/u;
const futureImport = /^from __future__ import .*\n?/gm;

/** The task's own code: its first fenced block or all of its input, where that is code that declares a function; else nothing. */
export function codeOfTask({ input }: EvalTask, language: Language): string | undefined {
  const code = fencedCode(input)[0] ?? input;
  return codeStart.test(code.trimStart()) && entryPointOf(code, language) !== undefined ? code : undefined;
}

/** The name of the last function that the code of the task declares at its top level, which is the one asked for. */
export function entryPointOf(code: string, language: Language): string | undefined {
  const pattern =
    language === 'python'
      ? /^(?:async\s+)?def\s+([\p{L}_][\p{L}\p{N}_]*)\s*\(/gmu
      : /^(?:export\s+)?(?:default\s+)?(?:(?:async\s+)?function\s*\*?\s*|(?:const|let|var)\s+)([\p{L}_$][\p{L}\p{N}_$]*)\s*[(=<:]/gmu;
  return [...code.matchAll(pattern)].at(-1)?.[1];
}

/**
 * The program of an answer. A module stands after the task's code, so that it finds the imports and helpers given there; a body continues
 * it. Undefined where the answer holds no code of the language.
 */
export function programOf(answer: string, task: EvalTask, language: Language): string | undefined {
  const code = codeOf(answer, language);
  if (code.trim() === '') return undefined;
  const given = codeOfTask(task, language);
  if (given === undefined) return code;
  const entryPoint = entryPointOf(given, language);
  return language === 'python' ? pythonProgram(code, given, entryPoint) : scriptProgram(code, given, entryPoint);
}

function pythonProgram(code: string, given: string, entryPoint: string | undefined): string {
  const lines = code.replace(/^(?:[ \t]*\r?\n)+/, '').split('\n');
  if (isBody(lines, entryPoint)) return `${ended(given)}${indented(lines)}`;
  // Python wants these before anything else.
  const future = code.match(futureImport)?.join('') ?? '';
  return `${future}${ended(given)}${code.replace(futureImport, '')}`;
}

/** A reply that was trimmed lost the blanks of its first line, which may be that of a helper inside the function. */
function isBody([first = '', ...rest]: readonly string[], entryPoint: string | undefined): boolean {
  if (/^[ \t]/.test(first)) return true;
  const declared = [first, ...rest].flatMap(
    (line) => /^(?:async\s+def|def|class)\s+([\p{L}\p{N}_]+)/u.exec(line)?.[1] ?? [],
  );
  if (declared.length === 0) return true;
  if (entryPoint !== undefined && declared.includes(entryPoint)) return false;
  const widths = widthsOf(rest);
  const least = Math.min(...widths);
  return least > 0 && (widths[0] ?? 0) > least;
}

function indented([first = '', ...rest]: readonly string[]): string {
  if (/^[ \t]/.test(first)) return [first, ...rest].join('\n');
  const widths = widthsOf(rest);
  const least = Math.min(...widths);
  if (widths.length === 0 || least === 0) return [first, ...rest].map((line) => `    ${line}`).join('\n');
  // Of a block that is all there is, the first line stands one level further out.
  const width = first.trimEnd().endsWith(':') && widths[0] === least ? Math.ceil(least / 2) : least;
  const sample = rest.find((line) => line.trim() !== '') ?? '';
  return [sample.slice(0, width) + first, ...rest].join('\n');
}

function widthsOf(lines: readonly string[]): number[] {
  return lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
}

function scriptProgram(code: string, given: string, entryPoint: string | undefined): string {
  const name = entryPoint?.replaceAll('$', '\\$');
  const isModule =
    name === undefined || new RegExp(`(?:function\\s*\\*?|const|let|var)\\s+${name}(?![\\w$])`).test(code);
  return isModule ? code : `${ended(given)}${code}`;
}

function ended(code: string): string {
  return code.endsWith('\n') ? code : `${code}\n`;
}
