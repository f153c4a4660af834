import { createContext, runInContext } from 'node:vm';
import * as z from 'zod';
import { type Tool, tool } from '../../src/tools/tool.ts';

/** `runCode` for the programs that the task generator wrote, in this process: a sandbox for each of them would take most of the time. */
export function generatedCode(): Tool {
  return tool({
    name: 'runCode',
    description: 'Runs a JavaScript program and returns what it printed.',
    input: z.object({ language: z.literal('javascript'), code: z.string() }),
    effect: 'read',
    run: ({ code }) => {
      const printed: string[] = [];
      const console = { log: (line: unknown) => printed.push(String(line)) };
      runInContext(code, createContext({ console }), { timeout: 1_000 });
      return { ended: 'completed', stdout: printed.join('\n') };
    },
  });
}
