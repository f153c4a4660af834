import { expect, it } from 'vitest';
/** Real runs of the loop with a simulated model that commits one known fault: the label against the layer the fault belongs to. */
import { defineAgent } from '../../src/agent.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { FailureLayer } from '../../src/evals/findings.ts';
import { triage } from '../../src/evals/triage/triage.ts';
import { inMemoryHost } from '../../src/runtime/in-memory.ts';
import { react } from '../../src/solver/react/react.ts';
import {
  type FaultName,
  faultyModel,
  flawsOf,
  type GeneratedTask,
  generatedTools,
  generateTasks,
  isOpenTo,
} from '../../src/testing/faulty-model.ts';

/** Where a fault belongs, by what it is; two where it is both, such as a wrong result that nothing checked. */
const layersOf: Partial<Record<FaultName, FailureLayer[]>> = {
  'fabricated-observation': ['verify'],
  'quote-not-in-source': ['verify'],
  'missing-claims': ['verify'],
  'wrong-claim-number': ['verify'],
  'wrong-claim-words': ['verify'],
  'answer-off-claims': ['verify'],
  contradiction: ['verify'],
  'wrong-schema': ['verify'],
  'laundered-number': ['act'],
  'wrong-row': ['act'],
  'stale-value': ['act'],
  'unit-slip': ['act'],
  'wrong-derived-unit': ['act'],
  'answer-before-acting': ['act'],
  'arithmetic-slip': ['act', 'verify'],
  'injection-in-answer': ['act', 'verify'],
  'dropped-constraint': ['decompose'],
};
const each = 6;

async function labelsOf(fault: FaultName, tasks: readonly GeneratedTask[]): Promise<string[]> {
  const model = faultyModel({ tasks, seed: 11, faults: { [fault]: 1 } });
  const agent = defineAgent({ host: inMemoryHost(), tools: generatedTools(tasks), model, solver: react() });
  const labels: string[] = [];
  for (const { id, task, right, ...rest } of tasks) {
    const handle = agent.run(task);
    const events: RunEvent[] = [];
    for await (const event of handle) events.push(event);
    const { runId, status, reason, attempt } = await handle;
    if (flawsOf({ id, task, right, ...rest }, attempt).length === 0) continue;
    const label = triage({ runId, task: { id, ...task, expected: right.answer }, status, reason, attempt, events });
    labels.push(label.by === 'nobody' ? 'unknown' : label.layer);
  }
  await agent.close();
  return labels;
}

it('labels the runs of a bare loop by the fault that was committed, nine of ten', async () => {
  const tasks = generateTasks({ seed: 11, count: each * 7 });
  const wrong: string[] = [];
  let runs = 0;
  for (const [fault, layers] of Object.entries(layersOf)) {
    // The keys are names of faults.
    const name = fault as FaultName;
    const labels = await labelsOf(name, tasks.filter((task) => isOpenTo(task, name)).slice(0, each));
    expect(labels.length, `no failing run with ${fault}`).toBeGreaterThan(0);
    runs += labels.length;
    wrong.push(
      ...labels.filter((label) => !layers.some((layer) => layer === label)).map((label) => `${fault}: ${label}`),
    );
  }
  expect(runs).toBeGreaterThan(80);
  expect(1 - wrong.length / runs, wrong.join('\n')).toBeGreaterThanOrEqual(0.9);
});
