import type { RunEvent } from '../core/event.ts';
import { canonicalJson } from '../core/json.ts';
import type { Plan } from '../core/task.ts';
import type { RunChunk, RunDataParts } from './chunk.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

const byUs = { dynamic: true, providerExecuted: true } as const;

/**
 * The parts that events become. A replay gives the same parts with the same ids, so a message that goes on after a decision is
 * brought up to date and not doubled.
 */
export class EventParts {
  readonly #plans = new Map<string, Plan>();
  readonly #approvals = new Map<string, RunDataParts['approval']>();
  /** Decided calls that have not run yet: by what they call, the ids of their parts. */
  readonly #decided = new Map<string, string[]>();
  /** By observation, the part that its call had before it ran. */
  readonly #parts = new Map<string, string>();

  of(event: RunEvent): RunChunk[] {
    switch (event.type) {
      case 'plan.made':
        return this.#plan(event.path, event.plan);
      case 'plan.updated':
        return this.#planUpdated(event);
      case 'tool.call':
        return this.#toolCall(event);
      case 'tool.result':
        return this.#toolResult(event);
      case 'approval.requested':
        return this.#requested(event);
      case 'approval.decided':
        return this.#settled(event);
      case 'verify.report':
        return [{ type: 'data-check', id: event.id, data: event.report }];
      default:
        return [];
    }
  }

  #plan(path: string, plan: Plan): RunChunk[] {
    this.#plans.set(path, plan);
    return [{ type: 'data-plan', id: `plan:${path}`, data: plan }];
  }

  #planUpdated({ path, step, status }: EventOf<'plan.updated'>): RunChunk[] {
    // Steps may be solved below the place where the plan was made.
    const places = path.split('/').map((_, index, names) => names.slice(0, names.length - index).join('/'));
    for (const place of [...places, '']) {
      const plan = this.#plans.get(place);
      if (!plan) continue;
      const steps = plan.steps.map((one) => (one.id === step ? { ...one, status } : one));
      return this.#plan(place, { ...plan, steps });
    }
    return [];
  }

  #toolCall(event: EventOf<'tool.call'>): RunChunk[] {
    const toolCallId = `${event.path}:${event.observation}`;
    const asked = this.#decided.get(calleeOf(event))?.shift();
    if (asked !== undefined) {
      this.#parts.set(toolCallId, asked);
      return [];
    }
    return [inputPart(toolCallId, event)];
  }

  #toolResult({ path, observation, status, preview, chars }: EventOf<'tool.result'>): RunChunk[] {
    const own = `${path}:${observation}`;
    const toolCallId = this.#parts.get(own) ?? own;
    if (status === 'ok')
      return [{ type: 'tool-output-available', toolCallId, output: { observation, preview, chars }, ...byUs }];
    if (this.#approvals.get(toolCallId)?.state === 'denied') return [{ type: 'tool-output-denied', toolCallId }];
    return [{ type: 'tool-output-error', toolCallId, errorText: `${status}: ${preview}`, ...byUs }];
  }

  #requested(event: EventOf<'approval.requested'>): RunChunk[] {
    const { signal, tool, args, why } = event;
    const data = { signal, tool, args, why, state: 'waiting' as const };
    this.#approvals.set(signal, data);
    return [
      inputPart(signal, event),
      { type: 'tool-approval-request', toolCallId: signal, approvalId: signal, reason: why },
      { type: 'data-approval', id: signal, data },
    ];
  }

  #settled({ path, signal, approved, reason }: EventOf<'approval.decided'>): RunChunk[] {
    const asked = this.#approvals.get(signal);
    if (!asked) return [];
    const data = { ...asked, state: approved ? ('approved' as const) : ('denied' as const), reason };
    this.#approvals.set(signal, data);
    const callee = calleeOf({ path, ...asked });
    this.#decided.set(callee, [...(this.#decided.get(callee) ?? []), signal]);
    return [
      { type: 'tool-approval-response', approvalId: signal, approved, reason },
      { type: 'data-approval', id: signal, data },
    ];
  }
}

function inputPart(toolCallId: string, { tool, args }: { tool: string; args: unknown }): RunChunk {
  return { type: 'tool-input-available', toolCallId, toolName: tool, input: args ?? {}, ...byUs };
}

function calleeOf({ path, tool, args }: { path: string; tool: string; args: unknown }): string {
  return `${path} ${tool} ${canonicalJson(args)}`;
}
