import { noUsage, type Usage } from '../../core/usage.ts';
import { type EvalRecord, noFacts, type Outcome, type RunFacts } from '../evaluation.ts';

/** A record for tests: an unflagged run of task `t1` with the outcome, changed as the test needs it. */
export function recordWith(
  outcome: Outcome,
  change: Partial<Omit<EvalRecord, 'facts' | 'usage'>> & { facts?: Partial<RunFacts>; usage?: Partial<Usage> } = {},
): EvalRecord {
  const pass = outcome === 'success';
  return {
    configuration: 'react',
    task: 't1',
    repeat: 1,
    runId: 'run',
    outcome,
    grade: { pass, score: pass ? 1 : 0, why: '' },
    status: 'completed',
    reason: 'completed',
    detail: '',
    degraded: outcome === 'degraded',
    selfChecked: false,
    flagged: false,
    versions: [],
    bought: noUsage,
    latencyMs: 100,
    ...change,
    usage: { ...noUsage, ...change.usage },
    facts: { ...noFacts, ...change.facts },
  };
}

/** Records of one configuration: for each task, in order, whether each of its repeats succeeds. */
export function recordsOf(
  configuration: string,
  tasks: readonly (readonly boolean[])[],
  change: Parameters<typeof recordWith>[1] = {},
): EvalRecord[] {
  return tasks.flatMap((repeats, task) =>
    repeats.map((success, index) =>
      recordWith(success ? 'success' : 'failure', {
        ...{ configuration, task: `t${task + 1}`, repeat: index + 1 },
        ...change,
      }),
    ),
  );
}
