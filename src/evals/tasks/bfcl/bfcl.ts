import * as z from 'zod';
import type { Json, JsonSchema } from '../../../core/json.ts';
import { jsonSchemaInput } from '../../../tools/json-schema-input.ts';
import { type Tool, tool } from '../../../tools/tool.ts';
import type { Grader } from '../../grader.ts';
import type { Environment, EvalTask } from '../../suite.ts';
import { type Dataset, rowShape, shapedTasks } from '../dataset.ts';
import type { TaskSelection } from '../select-tasks.ts';
import { jsonSchemaFrom } from './dialect.ts';
import { type Call, type ExpectedCall, mismatch } from './match-calls.ts';
import { agentTask } from './prompts.ts';

type Described = { name: string; description: string; parameters: JsonSchema };

const Context: z.ZodType<{ tools: Described[] }> = z.object({
  tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.json()) })),
});

const Expected: z.ZodType<ExpectedCall[]> = z.array(
  z.record(z.string(), z.record(z.string(), z.array(z.json()))).refine((call) => Object.keys(call).length === 1),
);

const row = rowShape(
  '{id, task, expected: [{function: {parameter: [accepted values]}}], kind, context: {tools}}',
  z.object({
    id: z.string(),
    task: z.string(),
    expected: Expected,
    kind: z.enum(['tool_calls', 'no_tool_call']),
    context: Context,
    meta: z.object({ category: z.string().optional() }).optional(),
  }),
  ({ id, task, expected, kind, context, meta }) => ({
    id,
    input: agentTask(task),
    expected,
    kind: meta?.category ?? kind,
    context,
  }),
);

/**
 * Single-turn tasks of the Berkeley Function-Calling Leaderboard (Patil et al. 2025) from rows `{id, task, expected, kind, context}`.
 * The functions of a task become tools that take calls down: they run nothing and are `read`. Graded are the calls of the
 * attempt that answered. A call that does not fit its schema goes back to the agent and is not counted, where the leaderboard counts it
 * as wrong; the few rows that accept only the name of a variable where the schema asks for a list cannot be passed.
 */
export function bfcl(path: string, selection: TaskSelection = {}): Dataset {
  return {
    name: 'bfcl',
    description:
      'Berkeley Function-Calling Leaderboard, single turn: right are the expected calls in any order, or none where none fits.',
    tasks: () => shapedTasks(path, { title: 'BFCL', shapes: [row] }, selection),
    grade: callGrader,
    environment: (task): Environment => ({ tools: toolsOf(task) }),
  };
}

function toolsOf({ context }: EvalTask): Tool[] {
  return Context.parse(context).tools.map(({ name, description, parameters }) =>
    tool({
      name,
      description,
      input: jsonSchemaInput(jsonSchemaFrom(parameters)),
      effect: 'read',
      trust: 'trusted',
      run: () => 'The call was taken down.',
    }),
  );
}

const callGrader: Grader = {
  name: 'bfcl-calls',
  knows: 'reference',
  config: null,
  reads: 'attempt',
  grade({ task, attempt }) {
    const names = new Set(Context.parse(task.context).tools.map(({ name }) => name));
    const calls = attempt.observations
      .filter(({ tool: name, status }) => names.has(name) && status === 'ok')
      // The tools take objects, and arguments were parsed from JSON.
      .map((one): Call => ({ tool: one.tool, args: one.args as Record<string, Json> }));
    const why = mismatch(calls, Expected.parse(task.expected));
    return why === undefined
      ? { pass: true, score: 1, why: calls.length === 0 ? 'no call was made, rightly' : 'the calls are as expected' }
      : { pass: false, score: 0, why };
  },
};
