import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { idsOf, type RunIdGenerator } from './run-ids.ts';

/** A span of a run before OpenTelemetry knows of it: it is started with the first thing under it that has to be written, or at its end. */
export interface OpenSpan {
  /** Unique in the run. */
  readonly key: string;
  readonly name: string;
  readonly parent: OpenSpan | undefined;
  readonly startMs: number;
  /** The last thing seen in it. */
  endMs: number;
  attributes: Attributes;
  events: SpanEvent[];
  span?: Span | undefined;
}

/** A fact within a span. */
export interface SpanEvent {
  name: string;
  attributes: Attributes;
  at: number;
}

/** A span that is over when it is written. */
export interface WholeSpan {
  key: string;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** Sets the status to error, with this text where it may be told. */
  failed?: string | undefined;
}

export type Api = typeof import('@opentelemetry/api');

/** Writes the spans of one run. */
export class SpanWriter {
  readonly #run: string;
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #generator: RunIdGenerator | undefined;

  constructor(run: string, to: { api: Api; tracer: Tracer; generator: RunIdGenerator | undefined }) {
    this.#run = run;
    this.#api = to.api;
    this.#tracer = to.tracer;
    this.#generator = to.generator;
  }

  /** Whether another process that goes on with the run can end what this one began. */
  get resumable(): boolean {
    return this.#generator !== undefined;
  }

  whole(parent: OpenSpan, { key, name, kind, startMs, endMs, attributes, failed }: WholeSpan): void {
    const options = { kind, startTime: new Date(startMs), attributes };
    const context = this.#under(parent);
    const span = this.#start(key, () => this.#tracer.startSpan(name, options, context));
    if (failed !== undefined) this.#fail(span, failed);
    span.end(new Date(endMs));
  }

  end(open: OpenSpan, failed?: string): void {
    const span = this.#spanOf(open);
    for (const { name, attributes, at } of open.events) span.addEvent(name, attributes, new Date(at));
    span.setAttributes(open.attributes);
    if (failed !== undefined) this.#fail(span, failed);
    span.end(new Date(open.endMs));
  }

  #fail(span: Span, message: string): void {
    const { ERROR: code } = this.#api.SpanStatusCode;
    span.setStatus(message === '' ? { code } : { code, message });
  }

  #spanOf(open: OpenSpan): Span {
    if (open.span) return open.span;
    const context = open.parent ? this.#under(open.parent) : this.#origin();
    const options = {
      kind: this.#api.SpanKind.INTERNAL,
      startTime: new Date(open.startMs),
      attributes: open.attributes,
    };
    open.span = this.#start(open.key, () => this.#tracer.startSpan(open.name, options, context));
    return open.span;
  }

  #under(parent: OpenSpan): Context {
    return this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, this.#spanOf(parent));
  }

  /** What the root stands under: nothing, or else the parent that gives a foreign provider the trace id of the run. */
  #origin(): Context {
    const { trace, ROOT_CONTEXT, TraceFlags } = this.#api;
    if (this.#generator) return ROOT_CONTEXT;
    const ids = idsOf(this.#run, 'origin');
    return trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true });
  }

  /** `start` starts one span and no other. */
  #start(key: string, start: () => Span): Span {
    return this.#generator ? this.#generator.with(idsOf(this.#run, key), start) : start();
  }
}
