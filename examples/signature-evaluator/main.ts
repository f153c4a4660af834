/**
 * The evaluator is the ceiling. Reflexion runs with an evaluator that looks only at the name and the number of parameters of a function;
 * hidden tests judge each trial beside it, and nobody in the run hears of them. `--model ID` asks a real model. In a project of your own
 * the imports are `from 'assay'`.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defineAgent, describeSandbox, type Evaluator, reflexion, signature, testsPass } from '../../src/index.ts';

const task = `Write a JavaScript function that gives the median of a list of numbers without changing the list.
Answer with the whole function in one code block.`;

const visible = signature({ name: 'median', parameters: 1 });
const hidden = testsPass({
  language: 'javascript',
  tests: [
    { name: 'odd number of values', code: 'assert.equal(median([3, 1, 2]), 2)' },
    { name: 'even number of values', code: 'assert.equal(median([4, 1, 3, 2]), 2.5)' },
    { name: 'values of several digits', code: 'assert.equal(median([10, 9, 100]), 10)' },
  ],
});

/** Judges as the visible evaluator does, and shows the verdict of the hidden tests to the reader only. */
const evaluator: Evaluator = {
  ...visible,
  evaluate: async (attempt, given, context) => {
    const [seen, unseen] = [
      await visible.evaluate(attempt, given, context),
      await hidden.evaluate(attempt, given, context),
    ];
    console.log(`  evaluator (signature): ${seen.pass ? 'pass' : 'fail'}, ${seen.feedback}`);
    console.log(
      `  hidden tests:          ${unseen.pass ? 'pass' : 'fail'}, ${unseen.feedback.replaceAll('\n', '\n    ')}`,
    );
    return seen;
  },
};

const { values } = parseArgs({ options: { model: { type: 'string' } } });
const script = `script:${fileURLToPath(new URL('script.json', import.meta.url))}`;
console.log(
  `model: ${values.model ?? 'scripted (its replies are written in script.json; the hidden tests really run)'}`,
);

const sandbox = (await describeSandbox()).javascript;
if (sandbox.works) await solve();
else console.log(`skipped: the hidden tests need a sandbox. ${sandbox.detail}`);

async function solve(): Promise<void> {
  const agent = defineAgent({ model: values.model ?? script, layers: [reflexion({ trials: 3, evaluator })] });
  const run = agent.run(task);
  for await (const event of run) {
    if (event.type === 'trial.start') console.log(`\ntrial ${event.trial}`);
    if (event.type === 'reflection.made') console.log(`  reflection: ${event.text}`);
  }
  const result = await run;
  await agent.close();
  console.log(`\n${result.status}: ${result.reason.detail}\n${result.answer ?? 'no answer'}`);
  console.log(`
A reflection explains the feedback it is given. This evaluator speaks of a name and a number, so the reflections do, the
next trial mends just that, and the loop ends satisfied. What the function returns was never asked: more trials or a
better model for the reflections would not have found out. The evaluator is the ceiling of what Reflexion can reach.`);
}
