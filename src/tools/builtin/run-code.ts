import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, tool } from '../tool.ts';
import type { SandboxReport } from './run-code/choose-sandbox.ts';
import { type CodeLimits, type Language, type SandboxKind, startupMs } from './run-code/sandbox.ts';

export interface RunCodeOptions {
  /** `auto` (default): python3 in bubblewrap or else Pyodide; QuickJS or else Node in bubblewrap. */
  sandbox?: SandboxKind | 'auto';
  /** Default: all three. */
  languages?: Language[];
  /** Of the code itself; the sandbox has 30 s to start before. Default 10,000. */
  timeoutMs?: number;
  /** Of the code's data. In the native sandbox it holds for each process of at most 32. Default 256. */
  memoryMb?: number;
  /** Of standard output and of standard error, each; at more the code is ended. Default 64 KiB. */
  maxOutputBytes?: number;
}

const allLanguages: Language[] = ['javascript', 'typescript', 'python'];
const maxCodeChars = 200_000;
/** The executor's own limit comes later, so that the outcome of this tool is the one that is seen. */
const graceMs = 15_000;

/**
 * A tool that runs code in a sandbox of its own process with fresh state for each call. It counts as `read`, because nothing
 * outside the sandbox can be changed or reached. Throws `UsageError` for a limit that is not a positive number.
 */
export function runCode(options: RunCodeOptions = {}): Tool {
  const { sandbox = 'auto', languages = allLanguages } = options;
  const limits: CodeLimits = {
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? 10_000),
    memoryMb: positive('memoryMb', options.memoryMb ?? 256),
    maxOutputBytes: positive('maxOutputBytes', options.maxOutputBytes ?? 64 * 1024),
  };
  if (languages.length === 0) throw new UsageError('languages: name at least one of javascript, typescript and python');
  return tool({
    name: 'runCode',
    description:
      'Runs a program in a sandbox without network, files of yours or packages, and returns what it printed and the value of its last expression. Nothing is kept between calls.',
    input: z.object({
      language: z.enum(languages),
      code: z.string().min(1).max(maxCodeChars).describe('A complete program.'),
      stdin: z
        .string()
        .max(1_000_000)
        .default('')
        .describe('What the program reads: input() or sys.stdin in Python, the variable `stdin` in JavaScript.'),
    }),
    effect: 'read',
    timeoutMs: startupMs + limits.timeoutMs + graceMs,
    markup: 'source',
    touches: () => ({}),
    run: async (job, { signal }) => {
      // The sandbox is looked for by the first call, not by the start of the program.
      const [{ chooseSandbox }, { runInSandbox }] = await Promise.all([
        import('./run-code/choose-sandbox.ts'),
        import('./run-code/run-in-sandbox.ts'),
      ]);
      return runInSandbox(await chooseSandbox(job.language, sandbox), job, limits, signal);
    },
  });
}

/** What `runCode` and `shell` would run in here, by language, with the remedy where there is no sandbox. Tries each once. */
export async function describeSandbox(sandbox: SandboxKind | 'auto' = 'auto'): Promise<SandboxReport> {
  return (await import('./run-code/choose-sandbox.ts')).reportSandboxes(sandbox);
}

function positive(name: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`${name}: ${value} is not a positive number`);
  return value;
}
