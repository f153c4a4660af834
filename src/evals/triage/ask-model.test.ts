import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import type { FailedRun } from './failed-run.ts';
import { triageAll } from './triage.ts';

const failure: FailedRun = {
  runId: 'r1',
  task: { id: 't1', input: 'Book a seat by the window.' },
  attempt: attemptWith({
    answer: 'done',
    observations: [
      {
        id: 'obs-1',
        path: '',
        tool: 'book',
        args: { seat: '4C' },
        status: 'ok',
        content: 'booked seat 4C, aisle',
        trust: 'untrusted',
      },
    ],
  }),
  events: [],
};

const opinion = (change: object = {}): string =>
  JSON.stringify({
    symptom: 'missed-constraints',
    why: 'The seat is at the aisle.',
    evidence: [{ where: 'obs-1', quote: 'seat 4C, aisle' }],
    ...change,
  });

describe('a model asked about failures that no rule knows', () => {
  it('labels them, marked as its opinion, with the row of its symptom', async () => {
    const { labels, byModel } = await triageAll([failure], { model: async () => opinion() });
    expect(labels[0]).toMatchObject({ by: 'model', rule: 'model', layer: 'decompose', evidence: [{ where: 'obs-1' }] });
    expect(labels[0]?.remedy).toContain('Plan-and-Solve');
    expect(byModel).toBe(1);
  });

  it('is told what was wrong and asked once more, when its evidence does not exist', async () => {
    const prompts: string[] = [];
    const model = async (_: string, prompt: string): Promise<string> => {
      prompts.push(prompt);
      return prompts.length === 1 ? opinion({ evidence: [{ where: 'obs-1', quote: 'seat 9F, window' }] }) : opinion();
    };
    const { labels } = await triageAll([failure], { model });
    expect(labels[0]?.by).toBe('model');
    expect(prompts[1]).toContain('no piece of evidence stands where it is said to stand');
  });

  it.each([
    ['invents evidence', opinion({ evidence: [{ where: 'obs-9', quote: 'aisle' }] })],
    ['cites none', opinion({ evidence: [] })],
    ['names no known symptom', opinion({ symptom: 'bad-luck' })],
    ['says that it does not know', opinion({ symptom: 'unknown' })],
    ['writes no JSON', 'It was the seat.'],
  ])('leaves the label to nobody when it %s', async (_, reply) => {
    const { labels, unknown } = await triageAll([failure], { model: async () => reply });
    expect(labels[0]).toMatchObject({ by: 'nobody', rule: 'none' });
    expect(labels[0]?.why).toContain('Asked:');
    expect(unknown).toBe(1);
  });

  it('leaves the label to nobody when it fails, and does not fail itself', async () => {
    const model = async (): Promise<string> => {
      throw new Error('overloaded');
    };
    expect((await triageAll([failure], { model })).labels[0]).toMatchObject({
      by: 'nobody',
      why: expect.stringContaining('overloaded'),
    });
  });

  it('is not asked where a rule decided', async () => {
    const known = { ...failure, attempt: attemptWith({ ended: { type: 'fault', fault: 'refused', detail: 'no' } }) };
    let asked = 0;
    const model = async (): Promise<string> => {
      asked += 1;
      return opinion();
    };
    expect((await triageAll([known], { model })).labels[0]?.by).toBe('rule');
    expect(asked).toBe(0);
  });

  it('is shown no secret', async () => {
    let shown = '';
    const leaking = { ...failure, error: 'key sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD refused' };
    await triageAll([{ ...leaking, attempt: failure.attempt }], {
      model: async (_, prompt) => {
        shown = prompt;
        return opinion();
      },
    });
    expect(shown).toContain('refused');
    expect(shown).not.toContain('abcdefghijklmnop');
  });
});
