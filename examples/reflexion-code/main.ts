/**
 * A small bug, real tests, two trials: the first attempt fails a test in the sandbox, the reflection names the cause, the second passes.
 * `--model ID` asks a real model. In a project of your own the imports are `from 'assay'`.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defineAgent, describeSandbox, reflexion, runCode, testsPass } from '../../src/index.ts';

const task = `Mend the function median, which gives wrong medians of some lists:

function median(numbers) {
  const sorted = numbers.sort();
  return sorted[Math.floor(sorted.length / 2)];
}

Answer with the whole mended function in one JavaScript code block. It must not change the list it is given.`;

const tests = [
  { name: 'odd number of values', code: 'assert.equal(median([3, 1, 2]), 2)' },
  { name: 'even number of values: the mean of the middle two', code: 'assert.equal(median([4, 1, 3, 2]), 2.5)' },
  { name: 'values of several digits', code: 'assert.equal(median([10, 9, 100]), 10)' },
  {
    name: 'the list stays as it was',
    code: 'const given = [2, 1, 3]; median(given); assert.deepEqual(given, [2, 1, 3])',
  },
];

const { values } = parseArgs({ options: { model: { type: 'string' } } });
const script = `script:${fileURLToPath(new URL('script.json', import.meta.url))}`;
console.log(`model: ${values.model ?? 'scripted (its replies are written in script.json; the tests really run)'}`);

const sandbox = (await describeSandbox()).javascript;
if (sandbox.works) await solve(sandbox.detail);
else console.log(`skipped: the tests need a sandbox. ${sandbox.detail}`);

async function solve(where: string): Promise<void> {
  const agent = defineAgent({
    model: values.model ?? script,
    tools: [runCode({ languages: ['javascript'] })],
    layers: [reflexion({ trials: 3, evaluator: testsPass({ language: 'javascript', tests }) })],
  });
  console.log(`tests run in: ${where}`);
  const run = agent.run(task);
  for await (const event of run) {
    if (event.type === 'trial.start') console.log(`\ntrial ${event.trial}`);
    if (event.type === 'tool.result') console.log(`  ${event.tool}: ${event.preview}`);
    if (event.type === 'trial.end') console.log(indented(`${event.pass ? 'passed' : 'failed'}: ${event.feedback}`));
    if (event.type === 'reflection.made') console.log(indented(`reflection: ${event.text}`));
  }
  const result = await run;
  await agent.close();
  console.log(`\n${result.status}: ${result.reason.detail}\n${result.answer ?? 'no answer'}`);
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
