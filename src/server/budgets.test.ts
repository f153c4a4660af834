import { expect, test } from 'vitest';
import { defineAgent } from '../agent.ts';
import { scriptedModel } from '../model/providers/script-model.ts';
import { inMemoryHost } from '../runtime/in-memory.ts';
import type { RunRow } from '../runtime/run-index.ts';
import { budgetFor, DailyBudgets } from './budgets.ts';
import { inMemoryRunIndex } from './run-index.ts';
import type { Principal } from './tokens.ts';

const ann: Principal = { id: 'ann', tenant: 'a', scopes: ['run'] };

function rowOf(id: string, tokens: number): RunRow {
  const now = Date.now();
  return {
    id,
    tenant: 'a',
    agent: 'x',
    principal: 'ann',
    status: 'running',
    created: now,
    updated: now,
    task: '',
    tokens,
    usd: 0,
  };
}

test('a run gets what it asks for within its token, else the lesser of the agent and the token', () => {
  const agent = defineAgent({
    model: scriptedModel(['x']),
    host: inMemoryHost(),
    budget: { modelCalls: 10, tokens: 1_000 },
  });
  const bounded = { ...ann, budget: { modelCalls: 20, tokens: 500, usd: 1 } };
  expect(budgetFor(bounded, agent)).toMatchObject({ modelCalls: 10, tokens: 500, usd: 1, toolCalls: 80 });
  expect(budgetFor(bounded, agent, { modelCalls: 20 })).toMatchObject({ modelCalls: 20 });
  expect(() => budgetFor(bounded, agent, { usd: 2 })).toThrow(/2 usd.*allows 1/);
  expect(budgetFor(ann, agent, { modelCalls: 99 })).toMatchObject({ modelCalls: 99, tokens: 1_000 });
});

test('what is counted and what is held are never seen in between, however slow the index is', async () => {
  const kept = inMemoryRunIndex();
  let pause: Promise<void> | undefined;
  const slow = {
    ...kept,
    async spent(principal: string, since: number) {
      const spent = await kept.spent(principal, since);
      await pause;
      return spent;
    },
  };
  const budgets = new DailyBudgets(slow);
  const principal = { ...ann, daily: { runs: 1 } };
  const first = await budgets.reserve(principal, {});
  const gate = Promise.withResolvers<void>();
  pause = gate.promise;
  const second = budgets.reserve(principal, {});
  const settled = first.settle(rowOf('1', 0));
  await new Promise((resolve) => setTimeout(resolve, 5));
  gate.resolve();
  await expect(second).rejects.toMatchObject({ status: 429 });
  await settled;
});

test('a day takes no more than its budget: what runs hold counts, and what is given back does not', async () => {
  const budgets = new DailyBudgets(inMemoryRunIndex());
  const principal = { ...ann, daily: { tokens: 1_000 } };
  const first = await budgets.reserve(principal, { tokens: 600 });
  await expect(budgets.reserve(principal, { tokens: 600 })).rejects.toMatchObject({ status: 429 });
  first.cancel();
  first.cancel();
  const again = await budgets.reserve(principal, { tokens: 600 });
  await again.settle(rowOf('1', 600));
  // Without a limit of its own a run may take what is left.
  expect((await budgets.reserve(principal, {})).limits.tokens).toBe(400);
  await expect(budgets.reserve(principal, { tokens: 1 })).rejects.toMatchObject({ status: 429 });
});
