import type { Attempt, Claim, Ending, Observation, Report } from '../../src/core/attempt.ts';
import type { EventBody, RunEvent } from '../../src/core/event.ts';
import type { Status } from '../../src/core/result.ts';
import type { Plan } from '../../src/core/task.ts';
import type { RefusalCause } from '../../src/core/turn.ts';
import { noUsage } from '../../src/core/usage.ts';
import type { FailedRun } from '../../src/evals/triage/failed-run.ts';
import { attemptWith } from '../../src/testing/attempt.ts';

/** Writes down a run as the program would: observations with their events, in order. */
export class Trace {
  readonly #observations: Observation[] = [];
  readonly #events: RunEvent[] = [];
  readonly #reports: Report[] = [];
  readonly #runId: string;
  #plan: Plan | undefined;
  #turns = 0;
  #at = 1_000;

  constructor(runId: string, task: string) {
    this.#runId = runId;
    this.emit({ type: 'run.start', task, model: 'model', layers: [], solver: 'react' });
  }

  emit(body: EventBody): this {
    const count = this.#events.filter(({ type }) => type === body.type).length + 1;
    this.#at += 10;
    this.#events.push({ ...body, id: `:${body.type}#${count}`, run: this.#runId, path: '', at: this.#at, live: true });
    return this;
  }

  plan(plan: Plan): this {
    this.#plan = plan;
    return this.emit({ type: 'plan.made', plan });
  }

  done(...steps: string[]): this {
    for (const id of steps) this.#step(id, 'done');
    return this;
  }

  failed(step: string): this {
    return this.#step(step, 'failed');
  }

  #step(id: string, status: 'done' | 'failed'): this {
    if (this.#plan)
      this.#plan = {
        ...this.#plan,
        steps: this.#plan.steps.map((step) => (step.id === id ? { ...step, status } : step)),
      };
    return this.emit({ type: 'plan.updated', step: id, status });
  }

  turn(): this {
    this.#turns += 1;
    this.emit({ type: 'turn.start', turn: this.#turns });
    return this.emit(modelCall('reply', 'tool-calls'));
  }

  observe(tool: string, args: unknown, content: string, status: Observation['status'] = 'ok'): `obs-${number}` {
    this.turn();
    const id = `obs-${this.#observations.length + 1}` as const;
    this.#observations.push({ id, path: '', tool, args, status, content, trust: 'untrusted' });
    this.emit({ type: 'tool.call', tool, args, observation: id });
    const preview = content.slice(0, 160);
    this.emit({ type: 'tool.result', tool, observation: id, status, chars: content.length, preview, ms: 3 });
    return id;
  }

  refused(tool: string, why: string, cause: RefusalCause = 'invalid'): this {
    return this.turn().emit({ type: 'tool.refused', tool, why, cause });
  }

  drafted(answer: string, claims = 1): this {
    return this.emit({ type: 'answer.drafted', answer, claims, degraded: false });
  }

  report(report: Partial<Report> & Pick<Report, 'verdict'>): this {
    const whole: Report = { by: 'checks', knows: 'rules', issues: [], needsMoreTools: false, ...report };
    this.#reports.push(whole);
    return this.emit({ type: 'verify.report', report: whole });
  }

  /** The trace with the answer it ended in, or with how it ended without one. */
  end(made: {
    answer?: string;
    claims?: Claim[];
    ended?: Ending;
    degraded?: boolean;
    status?: Status;
    revisions?: number;
  }): Omit<FailedRun, 'task'> {
    const { answer, claims = [], ended = { type: 'final' }, degraded = false, revisions = 0 } = made;
    const attempt: Attempt = attemptWith({
      ...(answer !== undefined && { answer }),
      claims,
      observations: this.#observations,
      plan: this.#plan,
      reports: this.#reports,
      ended,
      degraded,
      revisions,
    });
    const status = made.status ?? (answer === undefined ? 'failed' : 'needs_more_evidence');
    const code = ended.type === 'limit' ? ended.limit : ended.type === 'fault' ? ended.fault : 'not-verified';
    const detail = ended.type === 'final' ? 'no check ran on the answer' : ended.detail;
    this.emit({ type: 'run.end', status, reason: detail, usage: noUsage, activeMs: 5 });
    return { runId: this.#runId, status, reason: { code, detail }, attempt, events: this.#events };
  }
}

export function modelCall(outcome: 'reply' | 'refused' | 'error', detail: string): EventBody {
  const prompt = { messages: 2, bytes: 900, fingerprint: 'f' };
  return {
    type: 'model.call',
    step: 'turn',
    role: 'actor',
    model: 'model',
    provider: 'script',
    prompt,
    outcome,
    detail,
    usage: noUsage,
    ms: 4,
  };
}
