import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as z from 'zod';
import type { Claim } from '../../src/core/attempt.ts';
import { type Tool, tool } from '../../src/tools/tool.ts';
import { type Asked, recordedModel } from './recorded-model.ts';

/** One step of a ReAct trajectory as the authors' logs have it. */
export interface RecordedStep {
  thought: string;
  /** `Search[…]`, `Lookup[…]` or `Finish[…]`, or whatever else the model wrote. */
  action: string;
  observation: string;
}

export const RecordedStep: z.ZodType<RecordedStep> = z.object({
  thought: z.string(),
  action: z.string(),
  observation: z.string(),
});

/** Where in a run something is asked: its id, and the scope below it, '' for none. */
export interface Place {
  run: string;
  scope: string;
}

/**
 * Plays recorded ReAct trajectories (Yao et al. 2023): a model that says the next action, and tools that give the recorded
 * results. After its last step the model has nothing more to say.
 */
export class ReactStage {
  readonly model: LanguageModelV4;
  readonly tools: readonly Tool[];
  readonly #stepsAt: (place: Place) => readonly RecordedStep[];
  /** The step that each place is at, and the calls that were let through to the tools. */
  readonly #at = new Map<string, { step: number; results: number }>();

  constructor(modelId: string, stepsAt: (place: Place) => readonly RecordedStep[]) {
    this.#stepsAt = stepsAt;
    this.model = recordedModel(modelId, (asked) => this.#say(asked));
    this.tools = [
      this.#tool('search', 'Gives the first paragraph of a page.', z.object({ entity: z.string() })),
      this.#tool('lookup', 'Gives the next sentence of the page with these words.', z.object({ words: z.string() })),
    ];
  }

  #say({ run, key, turn }: Asked): string {
    const place = { run, scope: scopeOf(key) };
    const at = this.#here(place);
    at.step = turn;
    const step = this.#stepsAt(place)[turn];
    return step === undefined ? '' : replyTo(step, at.results);
  }

  #here({ run, scope }: Place): { step: number; results: number } {
    const key = `${run}/${scope}`;
    const at = this.#at.get(key) ?? { step: 0, results: 0 };
    this.#at.set(key, at);
    return at;
  }

  #tool(name: string, description: string, input: z.ZodType): Tool {
    return tool({
      name,
      description,
      input,
      effect: 'read',
      run: (_args, { idempotencyKey }) => {
        const [run = '', ...key] = idempotencyKey.split('/');
        const place = { run, scope: scopeOf(key.join('/')) };
        const at = this.#here(place);
        at.results++;
        return this.#stepsAt(place)[at.step]?.observation ?? '';
      },
    });
  }
}

/** The path of a journal key without the step's own name. */
function scopeOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/**
 * What the model says in our text protocol. An action that the authors' environment refused as invalid, or that is none of the
 * three, is said as it was written, so that our loop has to refuse it as well.
 */
export function replyTo({ thought, action, observation }: RecordedStep, results: number): string {
  const [, name, argument = ''] = /^(Search|Lookup|Finish)\[(.*)\]$/s.exec(action) ?? [];
  if (name === undefined || observation.startsWith('Invalid action')) return action;
  if (name === 'Finish')
    return JSON.stringify({ type: 'final', answer: argument, claims: [claimOf(thought, results)] });
  const args = name === 'Search' ? { entity: argument } : { words: argument };
  return JSON.stringify({ type: 'tool', tool: name.toLowerCase(), args, reason: thought });
}

/** The last thought as a claim: what it puts in quotation marks is quoted from the result it had just read. */
export function claimOf(thought: string, results: number): Claim {
  const quoted = [...thought.matchAll(/["“]([^"”]+)["”]/g)].map(([, quote = '']) => quote);
  return { text: thought, evidence: quoted.map((quote) => ({ observation: `obs-${results}`, quote })) };
}
