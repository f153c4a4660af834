import { generate } from '../../../model/collect.ts';
import { withRetry } from '../../../model/retry.ts';
import { type ModelChoice, modelRoles } from '../../../model/roles.ts';
import { customerPrompt, customerSystem } from './prompts.ts';

/** Something said in a conversation. */
export interface Line {
  from: 'agent' | 'customer';
  text: string;
}

/** What the customer answers to. */
export interface CustomerTurn {
  /** What the customer wants and knows; hidden from the agent. */
  instruction: string;
  /** All that was said; the last line is the agent's. */
  lines: readonly Line[];
  signal: AbortSignal;
}

/** A message of the customer that holds this ends the conversation, as in the benchmark. */
export const stopSignal = '###STOP###';

/**
 * Plays the customer. It holds no state, so that one simulator serves any number of conversations at once: the same turn may be asked
 * for again after a failure. A rejection is an error of the agent's call, and the agent's message counts as not sent.
 */
export interface CustomerSimulator {
  readonly name: string;
  /** The customer's next message. One that holds `stopSignal` ends the conversation. */
  reply(turn: CustomerTurn): Promise<string> | string;
}

export interface ModelCustomerOptions {
  /** Default: the provider's. */
  temperature?: number;
  /** The longest wait for a message, retries included. Default 110,000. */
  timeoutMs?: number;
}

/**
 * A customer played by a model: an id such as `openai:gpt-5-mini`, a model object, or a function `(system, user) => Promise<string>`.
 * What it costs is in no run's usage.
 */
export function modelCustomer(choice: ModelChoice, options: ModelCustomerOptions = {}): CustomerSimulator {
  const { temperature, timeoutMs = 110_000 } = options;
  const roles = modelRoles({ model: choice });
  return {
    name: typeof choice === 'string' ? choice : 'modelId' in choice ? choice.modelId : 'function',
    async reply({ instruction, lines, signal }) {
      await roles.load();
      const call = () =>
        generate(
          roles.of('actor'),
          {
            prompt: [
              { role: 'system', content: customerSystem(instruction, stopSignal) },
              { role: 'user', content: [{ type: 'text', text: customerPrompt(lines) }] },
            ],
            abortSignal: signal,
            ...(temperature !== undefined && { temperature }),
          },
          { stream: false },
        );
      const { content } = await withRetry(call, { signal, deadline: Date.now() + timeoutMs });
      const text = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
      if (text.trim() === '') throw new Error('the model that plays the customer answered without a text: ask again');
      return text.trim();
    },
  };
}

/** A customer who says these messages in turn, whatever the agent says, and then ends the conversation. */
export function scriptedCustomer(messages: readonly string[]): CustomerSimulator {
  return {
    name: 'scripted',
    reply: ({ lines }) => messages[lines.filter(({ from }) => from === 'customer').length] ?? stopSignal,
  };
}
