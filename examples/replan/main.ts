/**
 * A step of a plan brings nothing: the same task with and without planning again. `--model ID` asks a real model, which may find its
 * way in other steps. In a project of your own the imports are `from 'assay'`.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { calculator, defineAgent, planAndSolve, type Result, react, tool } from '../../src/index.ts';

const task =
  'How many crates of lamp oil does the lighthouse need for the winter, at 2 litres a night and 30 litres a crate?';

/** The almanac has lost its page on the winter; the keeper's log still has it. */
const almanac = tool({
  name: 'almanac',
  description: 'Looks a season up in the almanac.',
  input: z.object({ season: z.string() }),
  effect: 'read',
  run: ({ season }) => (season === 'summer' ? 'The summer has 94 nights.' : ''),
});
const log = tool({
  name: 'keepersLog',
  description: 'Reads what the keeper of the lighthouse wrote about a season.',
  input: z.object({ season: z.string() }),
  effect: 'read',
  run: ({ season }) => (season === 'winter' ? 'I lit the lamp on 120 nights this winter.' : 'Nothing is written here.'),
});

const { values } = parseArgs({ options: { model: { type: 'string' } } });
const script = `script:${fileURLToPath(new URL('script.json', import.meta.url))}`;
console.log(`model: ${values.model ?? 'scripted (its replies are written in script.json; the tools really run)'}\n`);

const without = await solve(0);
const withReplans = await solve(2);
show('', 'maxReplans 0', 'maxReplans 2');
show('status', without.status, withReplans.status);
show('model calls', without.usage.modelCalls, withReplans.usage.modelCalls);
show('tool calls', without.usage.toolCalls, withReplans.usage.toolCalls);
show('steps', steps(without), steps(withReplans));
for (const [title, result] of [
  ['without planning again', without],
  ['with planning again', withReplans],
] as const)
  console.log(`\nanswer ${title}: ${result.answer ?? result.reason.detail}`);

async function solve(maxReplans: number): Promise<Result> {
  const agent = defineAgent({
    model: values.model ?? script,
    tools: [almanac, log, calculator()],
    solver: react({ maxSteps: 6 }),
    layers: [planAndSolve({ mode: 'each-step', maxReplans })],
  });
  const result = await agent.run(task);
  await agent.close();
  return result;
}

function steps({ attempt }: Result): string {
  return (attempt.plan?.steps ?? []).map(({ id, status }) => `${id} ${status}`).join(', ');
}

function show(name: string, left: unknown, right: unknown): void {
  console.log(`${name.padEnd(12)} ${String(left).padEnd(30)} ${right}`);
}
