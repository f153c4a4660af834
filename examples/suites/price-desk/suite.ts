/**
 * What each mechanism does for a price desk: `assay eval examples/suites/price-desk --ablate`. The models are SIMULATED. A project of
 * your own imports them from your vendor instead.
 */

import { builtinChecks, checksPass, direct, exactAnswer, planAndSolve, react, verification } from 'assay';
import { defineSuite, type EvalTask, type Suite } from 'assay/evals';
import { type GeneratedTask, generatedTools, generateTasks } from 'assay/testing';
import { rightAnswer } from './grade.ts';
import { simulatedModels } from './models.ts';
import { conditions, inForce } from './rules.ts';

const seed = 1;
const generated = generateTasks({ seed, count: 240 });

const model = simulatedModels(generated, seed);
const policy = { irreversible: 'deny' as const };
const agent = { model, policy, tools: generatedTools(generated) };
const checks = [...builtinChecks.values(), conditions(generated)];

function evalTask({ id, kind, language, task, documents, right }: GeneratedTask): EvalTask {
  const { input, constraints, outputSchema } = task;
  return {
    ...{ id, input, constraints, kind: `${kind} (${language})` },
    ...(outputSchema && { outputSchema }),
    expected: right.answer,
    context: documents.map(({ title, text }) => `${title}\n${text}`).join('\n\n'),
  };
}

const suite: Suite = defineSuite({
  name: 'price-desk',
  description:
    'SIMULATED models on 240 generated tasks of a price desk, in English and Chinese. The figures show what follows from the assumptions in its README, not what a model can do.',
  tasks: generated.map(evalTask),
  grade: rightAnswer(generated),
  solvers: {
    direct: { model, policy, solver: direct() },
    react: { ...agent, solver: react() },
    full: { ...agent, solver: react(), layers: [verification({ checks }), planAndSolve()] },
  },
  ablation: {
    agent,
    verification: { checks },
    // It knows one rule more than the verification does.
    evaluator: () => checksPass([...checks, inForce(generated)]),
    selfConsistency: { samples: 3, normalise: exactAnswer },
  },
});

export default suite;
