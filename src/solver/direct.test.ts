import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent.ts';
import { type ScriptedReply, scriptedModel } from '../model/providers/script-model.ts';
import { direct } from './direct.ts';

const final = (answer: string) => JSON.stringify({ answer, claims: [] });

async function answer(replies: ScriptedReply[], budget = {}) {
  const model = scriptedModel(replies);
  const result = await defineAgent({ model, solver: direct(), budget }).run({
    input: 'how deep is the harbour',
    constraints: ['in metres'],
  });
  return { result, model };
}

describe('direct', () => {
  it('answers in one call, with the conditions in view and no tools', async () => {
    const { result, model } = await answer([final('9 metres')]);
    expect(result).toMatchObject({ answer: '9 metres', attempt: { ended: { type: 'final' } } });
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Condition: in metres');
    expect(model.calls[0]?.tools).toBeUndefined();
  });

  it.each<[string, ScriptedReply[], object, object]>([
    ['a refusal', [{ refusal: 'no' }], {}, { status: 'failed', reason: { code: 'refused' } }],
    [
      'a model that fails',
      [{ error: { status: 401, message: 'key' } }],
      {},
      { status: 'failed', reason: { code: 'model-error' } },
    ],
    ['no usable answer', ['x', 'y', 'z'], {}, { status: 'failed', reason: { code: 'invalid-answer' } }],
    ['a limit', [], { modelCalls: 0 }, { status: 'stopped', reason: { code: 'modelCalls' } }],
  ])('says how it ended for %s', async (_, replies, budget, ending) => {
    const { result } = await answer(replies, budget);
    expect(result).toMatchObject(ending);
    expect(result.answer).toBeUndefined();
  });
});
