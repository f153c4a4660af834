import type { Attempt } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { StepContext } from '../core/step.ts';
import type { Task } from '../core/task.ts';
import type { Tool } from '../tools/tool.ts';
import type { Check } from './check.ts';
import { differences, differenceText } from './difference.ts';

export interface FinalStateOptions {
  /** The check's name. Default `finalState`. */
  name?: string;
  /** Reads the state: a `read` tool with its arguments, or a function. A text that is JSON counts as what it says. */
  read: { tool: Tool; args?: Json } | ((context: StepContext) => Promise<unknown> | unknown);
  /** What the state has to be, or a function that says so for this task. */
  expect: Json | ((attempt: Attempt, task: Task) => Json);
  /** Nothing but what is expected may be there. Default false: objects may have other keys, such as times of change. */
  exact?: boolean;
  /** For one reading. Default 30,000. */
  timeoutMs?: number;
}

const shownDifferences = 10;

/**
 * The state that the run left behind, read back in a step and compared with the one expected: what an agent says it did
 * is not looked at. A state that cannot be read fails the step. Throws `UsageError` for a tool that does not only read.
 */
export function finalState(options: FinalStateOptions): Check {
  const { name = 'finalState', read, expect, exact = false, timeoutMs = 30_000 } = options;
  if (typeof read !== 'function' && read.tool.effect !== 'read')
    throw new UsageError(`${name}: ${read.tool.name} may change something; give a tool that only reads`);
  return {
    name,
    run: async (attempt, task, context) => {
      const actual = await context.step(`${name}.read`, async (step) => stateOf(await readBy(read, step)), {
        timeoutMs,
      });
      const expected = typeof expect === 'function' ? expect(attempt, task) : expect;
      const found = differences(expected, actual, exact);
      if (found.length === 0) return [];
      const more = found.length > shownDifferences ? `; and ${found.length - shownDifferences} more` : '';
      const list = found.slice(0, shownDifferences).map(differenceText).join('; ');
      return [
        {
          type: 'failed_check',
          detail: `the final state is not as expected: ${list}${more}`,
          requiredAction: 'do what is still missing with a tool, and undo what is wrong',
        },
      ];
    },
  };
}

async function readBy(read: FinalStateOptions['read'], step: StepContext): Promise<unknown> {
  if (typeof read === 'function') return read(step);
  return read.tool.run(read.tool.input.parse(read.args ?? {}), step);
}

/** As JSON: dates become texts, and what JSON has no word for (undefined, functions) is left out. */
function stateOf(value: unknown): Json {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  try {
    // JSON.parse gives nothing but JSON values.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
