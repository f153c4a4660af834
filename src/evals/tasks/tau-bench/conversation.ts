/**
 * The talk between the agent and the simulated customer, as tools.
 *
 * 1. What a customer says is trusted: the customer is the user whom the agent serves, and asks for effects in this way only.
 * 2. A reply is an effect. It is said once and never repeated by a retry, and search branches and samples, which run side by side on
 *    one conversation, cannot speak.
 * 3. After the end nothing runs any more, as in the benchmark, where the end of the conversation is the end of the run.
 */
import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import { type CustomerSimulator, type Line, stopSignal } from './customer.ts';

/** Who or what ended the conversation: the customer, the transfer to a human agent, or the bound on its turns. */
export const endings = ['customer', 'transfer', 'turns'] as const;
export type Ending = (typeof endings)[number];

export interface ConversationOptions {
  customer: CustomerSimulator;
  instruction: string;
  /** Messages of the agent at most. */
  turns: number;
}

/** Names of the tools that are no tools of the database. */
export const replyTool = 'replyToCustomer';
export const transferTool = 'transfer_to_human_agents';

const finish = 'Finish now with a short closing summary.';

export class Conversation {
  readonly #options: ConversationOptions;
  #lines: readonly Line[] = [];
  #waiting = false;
  #ended: Ending | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get ended(): Ending | undefined {
    return this.#ended;
  }

  /** What the agent has said, in order. */
  get replies(): string[] {
    return this.#lines.filter(({ from }) => from === 'agent').map(({ text }) => text);
  }

  tools(): Tool[] {
    return [
      tool({
        name: replyTool,
        description: 'Sends the customer a message. The result is what the customer answers.',
        input: z.object({ message: z.string().min(1) }),
        effect: 'write',
        trust: 'trusted',
        timeoutMs: 120_000,
        run: ({ message }, { signal }) => this.#say(message, signal),
      }),
      tool({
        name: transferTool,
        description:
          'Hands the customer over to a human agent and ends the conversation. Only for what the policy hands over.',
        input: z.object({ summary: z.string().describe('What the customer wants and what was done so far') }),
        effect: 'write',
        trust: 'trusted',
        run: () => {
          this.#checkOpen();
          this.#ended = 'transfer';
          return `The customer was handed over. ${finish}`;
        },
      }),
    ];
  }

  /** The tool, which refuses to run once the conversation is over. */
  guarded(inner: Tool): Tool {
    return {
      ...inner,
      run: (args, context) => {
        this.#checkOpen();
        return inner.run(args, context);
      },
    };
  }

  async #say(message: string, signal: AbortSignal): Promise<string> {
    this.#checkOpen();
    if (this.#waiting) throw new Error('the customer has not answered the last message yet: send one at a time');
    const { customer, instruction, turns } = this.#options;
    const lines: Line[] = [...this.#lines, { from: 'agent', text: message }];
    this.#waiting = true;
    try {
      const answer = await customer.reply({ instruction, lines, signal });
      // The agent was told that there was no answer.
      signal.throwIfAborted();
      this.#lines = [...lines, { from: 'customer', text: answer }];
      const text = answer.replaceAll(stopSignal, '').trim();
      if (answer.includes(stopSignal)) this.#ended = 'customer';
      else if (this.replies.length >= turns) this.#ended = 'turns';
      else return text;
      const why = this.#ended === 'customer' ? 'The customer has ended the conversation' : 'The conversation is over';
      return `${text}\n\n[${why}. ${finish}]`.trimStart();
    } finally {
      this.#waiting = false;
    }
  }

  #checkOpen(): void {
    if (this.#ended !== undefined)
      throw new Error(`the conversation is over, and nothing can be done any more. ${finish}`);
  }
}
