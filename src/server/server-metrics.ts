import type { Result } from '../core/result.ts';
import { MetricsRegistry } from './metrics.ts';

/** What the server counts. No label names a tenant, a token or a run. */
export interface ServerMetrics {
  request(answered: { method: string; route: string; status: number; seconds: number }): void;
  runStarted(agent: string): void;
  runEnded(agent: string, result: Result, seconds: number): void;
  text(): string;
}

const requestBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120];
const runBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 1_800];

export function serverMetrics(gauges: { live(): number; queued(): number; streams(): number }): ServerMetrics {
  const registry = new MetricsRegistry();
  const requests = registry.counter('assay_http_requests_total', 'HTTP requests by route and status.');
  const requestSeconds = registry.histogram(
    'assay_http_request_duration_seconds',
    'Time to the beginning of the response.',
    requestBuckets,
  );
  const started = registry.counter('assay_runs_started_total', 'Runs that began.');
  const ended = registry.counter('assay_runs_total', 'Runs by how they ended.');
  const runSeconds = registry.histogram('assay_run_duration_seconds', 'Time from start to end.', runBuckets);
  const tokens = registry.counter('assay_tokens_total', 'Tokens of models, input with the cached part and output.');
  const calls = registry.counter('assay_calls_total', 'Calls of models and tools.');
  const cost = registry.counter('assay_cost_usd_total', 'Cost of priced calls in US dollars.');
  registry.gauge('assay_runs_live', 'Runs that hold a place.', gauges.live);
  registry.gauge('assay_runs_queued', 'Requests that wait for a place.', gauges.queued);
  registry.gauge('assay_event_streams', 'Open event streams.', gauges.streams);
  registry.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  return {
    request({ method, route, status, seconds }) {
      requests({ method, route, status: String(status) });
      requestSeconds({ route }, seconds);
    },
    runStarted: (agent) => started({ agent }),
    runEnded(agent, { status, usage }, seconds) {
      ended({ agent, status });
      runSeconds({ status }, seconds);
      tokens({ agent, kind: 'input' }, usage.inputTokens);
      tokens({ agent, kind: 'output' }, usage.outputTokens);
      tokens({ agent, kind: 'cached' }, usage.cachedTokens);
      calls({ agent, kind: 'model' }, usage.modelCalls);
      calls({ agent, kind: 'tool' }, usage.toolCalls);
      cost({ agent }, usage.usd);
    },
    text: () => registry.text(),
  };
}
