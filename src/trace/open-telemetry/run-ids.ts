import { hash, randomBytes } from 'node:crypto';

/** The ids of a span. */
export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** The ids of the span with this key in the trace of the run: the same in every process that goes on with the run. */
export function idsOf(run: string, key: string): SpanIds {
  return {
    traceId: hash('sha256', `trace ${run}`).slice(0, 32),
    spanId: hash('sha256', `span ${run}\n${key}`).slice(0, 16),
  };
}

/**
 * An `IdGenerator` of the OpenTelemetry SDK that gives the spans of a run ids made from the run's id, and random ones to all others.
 * Give the same object to the tracer provider and to `openTelemetry`.
 */
export class RunIdGenerator {
  #next: SpanIds | undefined;

  generateTraceId(): string {
    return this.#next?.traceId ?? randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    return this.#next?.spanId ?? randomBytes(8).toString('hex');
  }

  /** Runs `start`, which starts one span, with these ids. */
  with<T>(ids: SpanIds, start: () => T): T {
    this.#next = ids;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }
}
