/** One agent library under the load, as `worker.ts` drives it. */
export interface Contender {
  /** Makes a fresh agent with a store of its own; files go into `folder`. The model answers after `delayMs`. */
  open(options: { folder: string; delayMs: number }): Promise<OpenAgent>;
}

export interface OpenAgent {
  /** One whole run; gives the number of tool calls it made, and throws when it ended without the model's answer. */
  run(): Promise<number>;
  close(): Promise<void>;
}

/** Model calls of a run: one with a tool call each, the last with the answer. */
export const steps = 10;
export const toolCalls: number = steps - 1;

/** What the model of every contender answers in the end. */
export const answer = 'two';

export function assertAnswer(given: unknown): void {
  if (given !== answer) throw new Error(`a run ended with ${JSON.stringify(given)} instead of its answer`);
}
