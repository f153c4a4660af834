import { hash } from 'node:crypto';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Budget } from '../core/budget.ts';
import type { RunEvent } from '../core/event.ts';
import type { Step } from '../core/step.ts';
import type { EmbeddingModel } from '../model/embedding.ts';
import type { ModelRun, Role } from '../model/model.ts';
import type { ModelSize } from '../model/model-size.ts';
import { Speakers } from '../model/speakers.ts';
import type { Durable } from '../runtime/durable.ts';
import type { Permit, Policy } from '../tools/policy/policy.ts';
import type { Tool } from '../tools/tool.ts';
import type { Kept, Run, RunChange } from './solver.ts';

/** As `ModelRun.onModelCall` and `ToolRun.onObservation`. */
export type Witness = Pick<Run, 'onModelCall' | 'onObservation'>;

/** What a run is made of, chosen by the composition root. */
export interface RunServices {
  model(role: Role): LanguageModelV4;
  /** As `ModelRun.sizeOf`. */
  sizeOf?(role: Role): ModelSize | undefined;
  /** As `Run.embedder`. */
  embedder?: EmbeddingModel | undefined;
  priceOf: ModelRun['priceOf'];
  redact(text: string): string;
  redactJson<T>(value: T): T;
  tools: ReadonlyMap<string, Tool>;
  policy: Policy;
  permit: Permit;
  stream: boolean;
  /** As `Run.edited`. Default false. */
  edited?: boolean;
  /** Who hears of prompts and observations as they were; nobody while a run goes on. */
  witness?: Witness | undefined;
  /** Where events go; undefined when nobody listens, which saves making them. */
  sink: ((event: RunEvent) => void) | undefined;
}

interface Parts {
  services: RunServices;
  durable: Durable;
  budget: Budget;
  temperature: number | undefined;
  speculative: boolean;
  boundary: string;
  rejections: Map<string, string>;
  /** Events so far by path and type; shared by all runs of one execution, since paths are unique. */
  counts: Map<string, number>;
  /** Shared likewise. */
  speakers: Speakers;
  /** Whether the branch's last step really ran; a hint for `RunEvent.live`. */
  live: { value: boolean };
  kept: Kept;
}

/** The root run of one execution. */
export function createRun(durable: Durable, options: { services: RunServices; budget: Budget; kept: Kept }): Run {
  return makeRun({
    ...options,
    durable,
    temperature: undefined,
    speculative: false,
    boundary: hash('sha256', `boundary ${durable.seed}`).slice(0, 16),
    rejections: new Map(),
    counts: new Map(),
    speakers: new Speakers(),
    live: { value: true },
  });
}

function makeRun(parts: Parts): Run {
  const { services, durable, live } = parts;
  const observedStep: Step = (name, fn, options) => {
    live.value = false;
    return durable.step(
      name,
      (context) => {
        live.value = true;
        return fn(context);
      },
      options,
    );
  };
  return {
    runId: durable.runId,
    path: durable.path,
    durable,
    budget: parts.budget,
    temperature: parts.temperature,
    speculative: parts.speculative,
    edited: services.edited ?? false,
    boundary: parts.boundary,
    rejections: parts.rejections,
    stream: services.stream && services.sink !== undefined,
    model: services.model,
    speakers: parts.speakers,
    embedder: services.embedder,
    sizeOf: (role) => services.sizeOf?.(role),
    priceOf: services.priceOf,
    redact: services.redact,
    redactJson: services.redactJson,
    tools: services.tools,
    policy: services.policy,
    permit: services.permit,
    step: services.sink ? observedStep : durable.step,
    watched: services.sink !== undefined,
    ...services.witness,
    emit(event) {
      if (!services.sink) return;
      const base = `${durable.path}:${event.type}`;
      const count = (parts.counts.get(base) ?? 0) + 1;
      parts.counts.set(base, count);
      services.sink({
        ...event,
        id: `${base}#${count}`,
        run: durable.runId,
        path: durable.path,
        at: durable.now(),
        live: live.value,
      });
    },
    now: () => durable.now(),
    keep(attempt) {
      parts.kept.attempt = attempt;
    },
    with: (change: RunChange) => makeRun({ ...parts, ...change }),
    scope: (name) => makeRun({ ...parts, durable: durable.scope(name) }),
    parallel: (name, branches, options) =>
      durable.parallel(
        name,
        branches.map((branch) => (inner: Durable) => branch(makeRun({ ...parts, durable: inner, live: { ...live } }))),
        options,
      ),
  };
}
