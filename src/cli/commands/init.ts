import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, UsageError } from '../../core/errors.ts';
import { detectModel } from '../../model/detect.ts';
import { type Command, printJson, switchOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';

/** `assay init`: writes an `assay.config.ts` that works as it is, for the user to change. */
export const command: Command = async (context) => {
  const file = resolve('assay.config.ts');
  if (existsSync(file) && !switchOption(context, 'force')) {
    throw new UsageError(`${file} exists already. Edit it, or write a new one over it with --force.`);
  }
  const detected = await detectModel({ env: process.env });
  try {
    writeFileSync(file, configText(detected.found?.id));
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${messageOf(error)}). Run this in a folder that you may write.`);
  }
  const name = commandName();
  if (context.json) printJson(context, { file, model: detected.found?.id ?? null });
  else {
    const steps: [string, string][] = [
      ...(detected.found ? [] : [['models', 'which model to use; then set it in the file'] satisfies [string, string]]),
      ['run "your task"', 'uses it'],
      ['doctor', 'checks the set-up'],
    ];
    const lines = steps.map(([typed, what]) => `  ${name} ${typed.padEnd(16)} ${what}`);
    context.screen.out([`Wrote ${file}`, 'Next:', ...lines].join('\n'));
  }
  return exitCodes.completed;
};

function configText(model: string | undefined): string {
  const why =
    model === undefined ? 'needs OPENAI_API_KEY; `assay models` lists what else there is' : 'found on this machine';
  return `// The agent that \`assay run\` uses in this folder. Options of the command line win over what stands here.
import { calculator, defineAgent, fetchPage, lessons, planAndSolve, react, sqliteLessons, verification } from 'assay';

export default defineAgent({
  // ${why}
  model: '${model ?? 'openai:gpt-5-mini'}',

  // What the agent can do. Reading runs; a tool with an effect asks you first.
  // Add searchDocs('./docs') and readDoc('./docs') for a folder of your own; the README lists the others.
  tools: [calculator(), fetchPage()],

  // What asks, and what does not: the first rule that fits decides, else the tool's effect. See SECURITY.md.
  policy: { read: 'allow', write: 'ask', irreversible: 'ask', rules: [] },

  // The loop: think, act, observe, until an explicit answer.
  solver: react({ maxSteps: 12 }),

  // Mechanisms around the loop, outermost first. Take one away and \`assay run\` does without it.
  layers: [
    lessons({ store: sqliteLessons({ file: '.assay/lessons.db' }) }), // recalls what earlier runs taught, keeps new lessons
    verification({ refine: { rounds: 2 } }), // checks the answer against what the tools returned, and repairs it
    planAndSolve({ maxSteps: 8 }), // makes a plan first
  ],

  // Every run ends inside these limits.
  budget: { modelCalls: 60, toolCalls: 80, tokens: 200_000, ms: 300_000 },
});
`;
}
