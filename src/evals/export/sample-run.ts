import type { ExportRun, ExportVerdict } from './export-run.ts';

/** What tests said of an answer. */
export function verdict(pass: boolean, change: Partial<ExportVerdict> = {}): ExportVerdict {
  return { pass, score: pass ? 1 : 0, by: 'unit-tests', knows: 'tests', ...change };
}

/** A run of a real model whose answer passed tests, changed as a test needs it. */
export function runWith(change: Partial<ExportRun> & { input?: string } = {}): ExportRun {
  const { input = 'How many crates fit on the cart?', ...rest } = change;
  return {
    runId: 'run-1',
    taskKey: 'depot/crates',
    task: { input, constraints: [], checks: [] },
    answer: 'Twelve crates fit.',
    verdict: verdict(true),
    degraded: false,
    usedTools: false,
    versions: [],
    models: [{ id: 'openai:gpt-5-mini', source: 'provider' }],
    ...rest,
  };
}
