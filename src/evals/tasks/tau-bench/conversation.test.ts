import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../../model/providers/script-model.ts';
import { Conversation } from './conversation.ts';
import { type CustomerSimulator, type CustomerTurn, modelCustomer } from './customer.ts';

const context = { idempotencyKey: 'k', attempt: 1, signal: new AbortController().signal };

function conversationWith(customer: CustomerSimulator): { talk: Conversation; say(message: string): Promise<unknown> } {
  const talk = new Conversation({ customer, instruction: 'You want tea.', turns: 9 });
  const [reply] = talk.tools();
  return { talk, say: (message) => reply!.run({ message }, context) };
}

describe('Conversation', () => {
  it('gives the customer all that was said, and the instruction', async () => {
    const turns: CustomerTurn[] = [];
    const { say } = conversationWith({ name: 'x', reply: (turn) => `answer ${turns.push(turn)}` });
    await say('Hello.');
    await say('And?');
    expect(turns[1]).toMatchObject({
      instruction: 'You want tea.',
      lines: [
        { from: 'agent', text: 'Hello.' },
        { from: 'customer', text: 'answer 1' },
        { from: 'agent', text: 'And?' },
      ],
    });
  });

  it('counts a message as not sent when the customer could not be asked', async () => {
    let down = true;
    const { talk, say } = conversationWith({
      name: 'x',
      reply: ({ lines }) => {
        if (down) throw new Error('no line');
        return String(lines.length);
      },
    });
    await expect(say('Hello.')).rejects.toThrow('no line');
    down = false;
    expect(await say('Hello again.')).toBe('1');
    expect(talk.replies).toEqual(['Hello again.']);
  });

  it('counts a message as not sent when the answer came too late', async () => {
    const abort = new AbortController();
    const { talk } = conversationWith({
      name: 'x',
      reply: () => {
        abort.abort(new Error('time is over'));
        return 'Late.';
      },
    });
    const late = talk.tools()[0]!.run({ message: 'Hello?' }, { ...context, signal: abort.signal });
    await expect(late).rejects.toThrow('time is over');
    expect(talk.replies).toEqual([]);
  });

  it('takes one message at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { talk, say } = conversationWith({ name: 'x', reply: () => promise });
    const first = say('One.');
    await expect(say('Two.')).rejects.toThrow('one at a time');
    resolve('Yes.');
    expect(await first).toBe('Yes.');
    expect(talk.replies).toEqual(['One.']);
  });

  it('shows the last words of the customer without the signal', async () => {
    const { talk, say } = conversationWith({ name: 'x', reply: () => 'Thanks! ###STOP###' });
    const shown = await say('Done.');
    expect(shown).toMatch(/^Thanks!\n\n\[The customer has ended/);
    expect(shown).not.toContain('###');
    expect(talk.ended).toBe('customer');
  });
});

describe('modelCustomer', () => {
  const turn: CustomerTurn = {
    instruction: 'You want tea.',
    lines: [{ from: 'agent', text: 'Coffee?' }],
    signal: context.signal,
  };

  it('asks a function with the instruction and the conversation', async () => {
    const asked: string[][] = [];
    const customer = modelCustomer(async (system, user) => {
      asked.push([system, user]);
      return ' Tea, please. ';
    });
    expect(await customer.reply(turn)).toBe('Tea, please.');
    expect(asked[0]?.[0]).toContain('You want tea.');
    expect(asked[0]?.[0]).toContain('###STOP###');
    expect(asked[0]?.[1]).toContain('Agent: Coffee?');
  });

  it('is named by its model', () => {
    expect(modelCustomer('ollama:tiny').name).toBe('ollama:tiny');
    expect(modelCustomer(scriptedModel(['x'])).name).toBe(scriptedModel(['x']).modelId);
  });

  it('refuses a model that says nothing', async () => {
    await expect(modelCustomer(() => ' ').reply(turn)).rejects.toThrow('without a text');
  });

  it('stops asking when the call is over', async () => {
    const customer = modelCustomer(() => 'Tea.');
    await expect(customer.reply({ ...turn, signal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late');
  });
});
