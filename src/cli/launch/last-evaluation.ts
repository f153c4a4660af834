import type { AgentOptions } from '../../agent.ts';
import type { ConfigurationSummary, Evaluation } from '../../evals/evaluation.ts';
import { metricsOf } from '../../evals/metrics/metrics.ts';
import { readEvaluation } from '../../evals/runner/evaluation-folder.ts';
import { react } from '../../solver/react/react.ts';
import { newestFirst } from '../eval/find-evaluation.ts';
import type { Home } from '../home.ts';

/** What the newest evaluation of a configuration said. */
export interface Evaluated {
  /** `suite/id`. */
  name: string;
  ended: number;
  /** A direct answer was evaluated beside it. */
  hasBaseline: boolean;
  /** Success of the configuration and of the baseline. */
  figures: string;
}

/** The newest finished evaluation of an agent with the same solver and layers. */
export function lastEvaluation(home: Home, agent: AgentOptions): Evaluated | undefined {
  const solver = (agent.solver ?? react()).name;
  const layers = (agent.layers ?? []).map(({ name }) => name).join();
  const isSame = (one: ConfigurationSummary): boolean => one.solver === solver && one.layers.join() === layers;
  for (const { name, folder } of newestFirst(home)) {
    const evaluation = readEvaluation(folder);
    const { ended, configurations } = evaluation.header;
    const same = configurations.find(isSame);
    if (ended === undefined || !same) continue;
    const baseline = configurations.find((one) => one.solver === 'direct' && one.layers.length === 0);
    const named = [same, ...(baseline && baseline !== same ? [baseline] : [])];
    const figures = named.map((one) => `${one.name} ${successOf(evaluation, one.name)}`).join(', ');
    return { name, ended, hasBaseline: baseline !== undefined, figures };
  }
  return undefined;
}

function successOf({ records }: Evaluation, configuration: string): string {
  const { success } = metricsOf(configuration, records);
  return `${Math.round(success.rate * 100)} % of ${success.of}`;
}
