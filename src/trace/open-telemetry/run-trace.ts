import type { Attributes } from '@opentelemetry/api';
import type { RunEvent } from '../../core/event.ts';
import {
  chatAttributes,
  commonAttributes,
  type EventOf,
  errorOf,
  runAttributes,
  runEndAttributes,
  toolAttributes,
  type Vocabulary,
} from './attributes.ts';
import type { RunMetrics } from './metrics.ts';
import type { Phase } from './places.ts';
import { type Fact, factOf, layerFactOf, wasNotAsked } from './span-events.ts';
import { SpanTree } from './span-tree.ts';
import type { Api, OpenSpan, SpanWriter } from './span-writer.ts';

/** They come out of a running step, many at once, and nothing is told by them. */
const unheard: ReadonlySet<RunEvent['type']> = new Set(['model.delta', 'model.start']);

interface Parts {
  api: Api;
  writer: SpanWriter;
  metrics: RunMetrics;
  words: Vocabulary;
  conversation: string;
}

/** Turns the events of one run into spans and numbers. A copy of an event, or a replayed one, is told nowhere. */
export class RunTrace {
  readonly #parts: Parts;
  readonly #tree: SpanTree;
  readonly #seen = new Set<string>();
  /** Calls that have no result yet, by path and observation. */
  readonly #calls = new Map<string, EventOf<'tool.call'>>();
  readonly #unanswered = new Set<string>();
  readonly #rootName: string;
  readonly #rootAttributes: Attributes;
  /** When this process began to add to the run: after a replay, not when the run began. */
  #since: number | undefined;
  #answer: string | undefined;

  constructor(event: EventOf<'run.start'>, parts: Parts) {
    this.#parts = parts;
    const { words, conversation } = parts;
    this.#rootName = `invoke_agent ${words.agentName}`;
    this.#rootAttributes = { ...commonAttributes(conversation, 'AGENT', words), ...runAttributes(event, words) };
    this.#tree = new SpanTree(
      { name: this.#rootName, at: event.at, attributes: this.#rootAttributes },
      { writer: parts.writer, attributesOf: (kind, path) => this.#attributesOf(kind, path) },
    );
  }

  /** Returns whether the run is over. */
  write(event: RunEvent): boolean {
    if (unheard.has(event.type) || this.#seen.has(event.id)) return false;
    this.#seen.add(event.id);
    if (!event.live) this.#since = undefined;
    else this.#since ??= event.at;
    this.#follow(event);
    const span = this.#tree.enter(event, beginOf(event));
    this.#note(event, span);
    if (event.live) this.#tell(event, span);
    this.#tree.settle(event);
    if (event.type !== 'run.end') return false;
    this.#endRun(event);
    return true;
  }

  /**
   * The process ends before the run does. Another one that goes on with it ends the spans that are open here; what this one did is
   * told by a span of its own. Under a provider with ids of its own nobody can, so they end here.
   */
  close(): void {
    const status = this.#unanswered.size > 0 ? 'awaiting_approval' : 'unfinished';
    const { writer, api } = this.#parts;
    const { root } = this.#tree;
    if (!writer.resumable) {
      root.attributes = { ...root.attributes, 'assay.run.status': status };
      this.#tree.end(true);
      return;
    }
    const since = this.#since ?? root.endMs;
    writer.whole(root, {
      key: `part ${since}`,
      name: this.#rootName,
      kind: api.SpanKind.INTERNAL,
      startMs: since,
      endMs: root.endMs,
      attributes: { ...this.#rootAttributes, 'assay.run.status': status, 'assay.run.part': true },
    });
  }

  /** What has to be known whether the event is told or not. */
  #follow(event: RunEvent): void {
    switch (event.type) {
      case 'tool.call':
        this.#calls.set(`${event.path} ${event.observation}`, event);
        return;
      case 'approval.requested':
        this.#unanswered.add(event.signal);
        return;
      case 'approval.decided':
        this.#unanswered.delete(event.signal);
        return;
      case 'answer.drafted':
        this.#answer = event.answer;
        return;
      case 'vote.made':
        this.#answer = event.winner;
        return;
      default:
    }
  }

  /** What a span that is still open will say: it is written once, with the facts of every process that had it open. */
  #note(event: RunEvent, span: OpenSpan): void {
    const layer = layerFactOf(event);
    if (layer) {
      const target = isOfPhase(event) ? span : this.#tree.placeOf(event);
      target.attributes = { ...target.attributes, ...this.#told(layer) };
    }
    const fact = factOf(event);
    if (fact) span.events.push({ name: fact.name, attributes: this.#told(fact), at: event.at });
  }

  #tell(event: RunEvent, span: OpenSpan): void {
    if (event.type === 'model.call') this.#chat(event, span);
    else if (event.type === 'tool.result') this.#tool(event, span);
    else if (event.type === 'tool.refused') this.#parts.metrics.tool(event);
  }

  #chat(event: EventOf<'model.call'>, parent: OpenSpan): void {
    const { writer, words, metrics, api, conversation } = this.#parts;
    if (wasNotAsked(event)) return;
    writer.whole(parent, {
      key: event.id,
      name: `chat ${event.model}`,
      kind: api.SpanKind.CLIENT,
      startMs: Math.max(parent.startMs, event.at - event.ms),
      endMs: event.at,
      attributes: { ...commonAttributes(conversation, 'LLM', words), ...chatAttributes(event, words) },
      failed: event.outcome === 'reply' ? undefined : words.content ? event.detail : '',
    });
    metrics.chat(event);
  }

  #tool(event: EventOf<'tool.result'>, parent: OpenSpan): void {
    const { writer, words, metrics, api, conversation } = this.#parts;
    const key = `${event.path} ${event.observation}`;
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    metrics.tool(event);
    if (event.limited) return;
    // Results of one turn are told together; a call that was announced in this process tells better when it began.
    const began = Math.max(parent.startMs, call?.live ? call.at : event.at - event.ms);
    writer.whole(parent, {
      key: event.id,
      name: `execute_tool ${event.tool}`,
      kind: api.SpanKind.INTERNAL,
      startMs: began,
      endMs: Math.max(began, Math.min(event.at, began + event.ms)),
      attributes: { ...commonAttributes(conversation, 'TOOL', words), ...toolAttributes(event, call, words) },
      failed: event.status === 'ok' ? undefined : words.content ? event.preview : '',
    });
  }

  #endRun(event: EventOf<'run.end'>): void {
    const { words, metrics } = this.#parts;
    const { root } = this.#tree;
    root.attributes = { ...root.attributes, ...runEndAttributes(event, this.#answer, words) };
    const failed = errorOf(event.status)['error.type'] === undefined ? undefined : words.content ? event.reason : '';
    // A run that ended is not executed again: this is no copy, even where the last step before it was replayed.
    this.#tree.end(true, failed);
    metrics.run(event);
  }

  #told({ attributes, texts }: Omit<Fact, 'name'>): Attributes {
    return this.#parts.words.content ? { ...attributes, ...texts } : attributes;
  }

  #attributesOf(kind: Phase | 'place', path: string): Attributes {
    const { words, conversation } = this.#parts;
    return {
      ...commonAttributes(conversation, 'CHAIN', words),
      ...(kind === 'plan' && { 'gen_ai.operation.name': 'plan' }),
      'assay.path': path,
    };
  }
}

/** The attributes of these belong to the phase they are told in, those of the others to the place. */
function isOfPhase({ type }: RunEvent): boolean {
  return type === 'plan.made' || type === 'verify.report' || type === 'refine.made';
}

function beginOf(event: RunEvent): number {
  return event.type === 'model.call' ? event.at - event.ms : event.at;
}
