import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent.ts';
import type { RunEvent } from '../core/event.ts';
import { inMemoryLessons } from '../memory/in-memory-lessons.ts';
import { lessons } from '../solver/lessons/lessons.ts';
import { verification } from '../solver/verification/verification.ts';
import { callFinal } from '../testing/replies.ts';
import { modelsBehind } from './fallback.ts';
import { scriptedModel } from './providers/script-model.ts';
import { firstChoices, type ModelSettings, modelRoles } from './roles.ts';

const scripted = (modelId: string) => scriptedModel([], { modelId });
const namesOf = (settings: ModelSettings) => {
  const models = modelRoles(settings);
  return models
    .load()
    .then(() => (role: Parameters<typeof models.of>[0]) => modelsBehind(models.of(role)).map(({ modelId }) => modelId));
};

describe('the models of an agent', () => {
  it('are one for all, or one by role with the actor behind every role that has none', async () => {
    const one = await namesOf({ model: scripted('a') });
    expect([one('actor'), one('refiner'), one('judge')]).toEqual([['a'], ['a'], ['a']]);
    for (const key of ['model', 'models'] as const) {
      const byRole = await namesOf({
        [key]: { actor: scripted('a'), refiner: scripted('r'), judge: [scripted('j'), scripted('k')] },
      });
      expect(['actor', 'planner', 'refiner', 'judge'].map((role) => byRole(role as 'actor'))).toEqual([
        ['a'],
        ['a'],
        ['r'],
        ['j', 'k'],
      ]);
    }
  });

  it('are the same objects where roles name the same, alone or in a list, so that who judges himself is found out', async () => {
    const [a, b] = [scripted('a'), scripted('b')];
    const models = modelRoles({ models: { actor: [a, b], verifier: [a, b], judge: b, reflector: [b] } });
    await models.load();
    expect(models.of('verifier')).toBe(models.of('actor'));
    expect(models.of('judge')).toBe(models.of('reflector'));
    expect(models.all()).toEqual([a, b]);
  });

  it.each<[string, ModelSettings, RegExp]>([
    ['both ways to name them', { model: scripted('a'), models: { actor: scripted('b') } }, /Both `model` and `models`/],
    [
      'a role that there is not',
      { models: { actor: scripted('a'), verifer: scripted('b') } as never },
      /'verifer', which is no role\. The roles are actor, planner/,
    ],
    ['roles without an actor', { models: { judge: scripted('a') } as never }, /no model for the role 'actor'/],
  ])('may not be given by %s', (_what, settings, message) => {
    expect(() => modelRoles(settings)).toThrow(message);
  });

  it('have to be named by the time they are needed, a list by one at least', async () => {
    await expect(modelRoles({}).load()).rejects.toThrow('No model is named');
    await expect(modelRoles({ model: [] }).load()).rejects.toThrow("The list of models for the role 'actor' is empty");
    await expect(modelRoles({ model: { foo: 1 } as never }).load()).rejects.toThrow('is not a model');
  });

  it('all take tools if the first one does', async () => {
    const plain = Object.assign(() => 'text', {});
    await expect(modelRoles({ model: [scripted('a'), plain] }).load()).rejects.toThrow("takes no tools and 'a' does");
    await modelRoles({ model: [plain, scripted('a')] }).load();
  });

  it('are known to a replay by their first choice', () => {
    const a = scripted('a');
    const settings = { models: { actor: ['openai:gpt-5', a], judge: { model: a, local: true } } } as const;
    expect(firstChoices(settings)).toEqual([
      ['actor', 'openai:gpt-5'],
      ['judge', a],
    ]);
  });
});

describe('the roles in a run', () => {
  it('ask the refiner to mend an answer, and the actor where there is none', async () => {
    const check = {
      name: 'never',
      run: () => [{ type: 'incomplete' as const, detail: 'too short', requiredAction: 'say more' }],
    };
    const askedBy = async (extra: object): Promise<string[]> => {
      const actor = scriptedModel(() => callFinal('draft'), { modelId: 'actor' });
      const events: RunEvent[] = [];
      const layers = [verification({ checks: [check], verifier: false, refine: { rounds: 1 } })];
      const run = defineAgent({ models: { actor, ...extra }, layers }).run('x');
      for await (const event of run) events.push(event);
      return events.flatMap((event) =>
        event.type === 'model.call' && event.step === 'refine' ? [`${event.role} ${event.model}`] : [],
      );
    };
    const refiner = scriptedModel(() => JSON.stringify({ answer: 'mended', claims: [] }), { modelId: 'refiner' });
    expect((await askedBy({ refiner }))[0]).toBe('refiner refiner');
    expect((await askedBy({}))[0]).toBe('refiner actor');
  });

  it('give a memory without an embedder the one of the agent, at its price', async () => {
    const embedded: string[][] = [];
    const embedder = {
      specificationVersion: 'v4' as const,
      provider: 'openai.embedding',
      modelId: 'text-embedding-3-small',
      maxEmbeddingsPerCall: 8,
      supportsParallelCalls: false,
      doEmbed: async ({ values }: { values: string[] }) => {
        embedded.push(values);
        return { embeddings: values.map(() => [1, 0]), usage: { tokens: 1_000_000 }, warnings: [] };
      },
    };
    const store = inMemoryLessons();
    const options = {
      models: { actor: scriptedModel([callFinal('a'), callFinal('b')]), embedder },
      layers: [lessons({ store })],
    };
    const result = await defineAgent({ ...options, budget: { tokens: undefined } }).run('count the boats');
    expect(embedded).toEqual([['count the boats']]);
    expect(result.usage).toMatchObject({ usd: 0.02, unpricedCalls: 0, inputTokens: expect.any(Number) });
  });
});
