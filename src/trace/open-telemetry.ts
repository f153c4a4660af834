/** Events as OpenTelemetry spans and metrics. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { RunEvent, Sink } from '../core/event.ts';
import type { Vocabulary } from './open-telemetry/attributes.ts';
import { loadPeer } from './open-telemetry/load-peer.ts';
import { runMetrics } from './open-telemetry/metrics.ts';
import { providerNameOf } from './open-telemetry/provider-names.ts';
import type { RunIdGenerator } from './open-telemetry/run-ids.ts';
import { RunTrace } from './open-telemetry/run-trace.ts';
import { type Api, SpanWriter } from './open-telemetry/span-writer.ts';

export { RunIdGenerator } from './open-telemetry/run-ids.ts';

/** What the spans tell, wherever they go. */
export interface SpanOptions {
  /**
   * Task, answers (the last one drafted as the run's output), arguments, the beginnings of results, reasons and lessons as attributes.
   * They are redacted, and may still be confidential. Prompts and replies are in no event. Default false.
   */
  captureContent?: boolean;
  /** `gen_ai.agent.name`. Default `assay`. */
  agentName?: string;
  /** `gen_ai.conversation.id`, one for all runs or by run id. Default: the run's id. */
  conversationId?: string | ((runId: string) => string);
  /** `gen_ai.provider.name` by model id. Default: the adapter's name in the words of the conventions. */
  providerOf?: (model: string, provider?: string) => string | undefined;
  /** OpenInference's attributes too, as Phoenix and Langfuse read them. Default true. */
  openInference?: boolean;
}

export interface OpenTelemetryOptions extends SpanOptions {
  /** Default: the one that is registered globally. */
  tracerProvider?: TracerProvider;
  /** Default: the one that is registered globally. */
  meterProvider?: MeterProvider;
  /** The object that `tracerProvider` was made with as its `idGenerator`. */
  idGenerator?: RunIdGenerator;
}

/**
 * A sink that tells runs as OpenTelemetry spans and metrics. Needs the package @opentelemetry/api; throws `UsageError` without it.
 *
 * By the GenAI semantic conventions 1.41 (in development there), whose attributes of spans are also those of their first release on
 * their own, semantic-conventions-genai 0.1.0; that one renamed the metrics, and the names of 1.41 are what collectors know.
 *
 * Spans: `invoke_agent NAME` for a run, `chat MODEL`, `execute_tool TOOL`, and between them `plan`, `verify`, `refine` and one for
 * each place of the run (`trial-2`, `samples/0`, `step-1`), nested as the layers are. Approvals, refusals, lessons, votes and limits
 * are events of the span they happen in. A run that failed or was stopped has the status error and its own status as `error.type`; for
 * a model call that is `model_error` or `timeout`, for a tool the status of its observation.
 * Metrics: `gen_ai.client.operation.duration` and `gen_ai.client.token.usage` (never estimated usage), `assay.run.duration`,
 * `assay.runs`, `assay.tool.calls`, `assay.cost.usd`.
 *
 * The trace of a run has an id made from the run's id: a process that resumes it adds to the same trace, and what is replayed is not
 * told again. With `idGenerator` every span has such an id: one that was open when a process ended is written by the process that
 * ends it, and a process that closes before the run is over leaves a span `invoke_agent` with `assay.run.part` under a root that is
 * still to come. Without it any provider will do: the root then has a remote parent that is never written, marked as sampled, since
 * only a parent can bring the trace id, and spans that are open at `close` end there. What a killed process had not sent is lost.
 *
 * `close` ends the spans; to flush the providers is for whoever made them.
 */
export async function openTelemetry(options: OpenTelemetryOptions = {}): Promise<Sink> {
  const api = await loadPeer('@opentelemetry/api', () => import('@opentelemetry/api'));
  return sinkOf(api, options);
}

const scope = 'assay';

function sinkOf(api: Api, options: OpenTelemetryOptions): Sink {
  const { conversationId, idGenerator: generator } = options;
  const words: Vocabulary = {
    agentName: options.agentName ?? 'assay',
    content: options.captureContent ?? false,
    openInference: options.openInference ?? true,
    providerOf: options.providerOf ?? providerNameOf,
  };
  const tracer = (options.tracerProvider ?? api.trace.getTracerProvider()).getTracer(scope);
  const metrics = runMetrics((options.meterProvider ?? api.metrics.getMeterProvider()).getMeter(scope), words);
  const runs = new Map<string, RunTrace>();
  const conversationOf = (run: string): string =>
    typeof conversationId === 'function' ? conversationId(run) : (conversationId ?? run);
  const begin = (event: Extract<RunEvent, { type: 'run.start' }>): RunTrace => {
    const writer = new SpanWriter(event.run, { api, tracer, generator });
    return new RunTrace(event, { api, writer, metrics, words, conversation: conversationOf(event.run) });
  };
  return {
    name: 'open-telemetry',
    write(event) {
      let run = runs.get(event.run);
      if (!run && event.type === 'run.start') {
        run = begin(event);
        runs.set(event.run, run);
      }
      if (run?.write(event)) runs.delete(event.run);
    },
    close() {
      for (const run of runs.values()) run.close();
      runs.clear();
    },
  };
}
