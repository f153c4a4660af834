import type { Line } from './customer.ts';

/** What the agent is asked: the policy of the domain, and how it reaches the customer. */
export function agentTask(policy: string): string {
  return `You are the customer service agent of a company. Serve the customer who has just contacted you, under the policy below.

- The customer sees only what you send with replyToCustomer; its result is what the customer answers. Begin by greeting the customer with it and asking how you can help.
- Find out with it what the customer wants, and get the confirmations that the policy asks for. Nobody else can confirm anything.
- Tell the customer with it what was done and every figure that was asked for, before the conversation ends.
- A result says when the conversation is over. Then finish with a closing summary of one or two sentences of what was done; the customer does not see it.

# Policy

${policy.trim()}`;
}

/** What the simulated customer is told (Yao et al. 2024, section 3.2: a model with a hidden instruction plays the user). */
export function customerSystem(instruction: string, stop: string): string {
  return `You play a customer who talks to a customer service agent. This is your situation, which the agent does not know:

${instruction.trim()}

How to play:
- Write only the customer's next message, in one line, in your own words and in the manner that the situation describes.
- Tell what the agent needs now and nothing further. Do not recite the situation.
- Know only what the situation says. Asked for anything else, such as a number that is not given, say that you do not know it.
- Stay with what the customer wants, and do not invent new wishes.
- When all of it is done or has been refused for good, or you are handed over to somebody else, answer ${stop} and nothing else.`;
}

/** The conversation so far, for the model that plays the customer. */
export function customerPrompt(lines: readonly Line[]): string {
  const said = lines.map(({ from, text }) => `${from === 'agent' ? 'Agent' : 'You'}: ${text}`);
  return `${said.join('\n\n')}\n\nWrite your next message.`;
}
