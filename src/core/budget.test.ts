import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, checkedLimits, type Hold } from './budget.ts';
import { noUsage, type Usage } from './usage.ts';

const call = (tokens: number): Usage => ({ ...noUsage, modelCalls: 1, tokens });

describe('Budget', () => {
  it('refuses what would cross a limit and names it', () => {
    const budget = new Budget({ toolCalls: 2 });
    expect(budget.reserve({ toolCalls: 2 })).toEqual({ cost: { toolCalls: 2 } });
    expect(budget.reserve({ toolCalls: 1 })).toBe('toolCalls');
  });

  it('counts reservations that are not settled yet', () => {
    const budget = new Budget({ tokens: 100 });
    const hold = budget.reserve({ tokens: 80 }) as Hold;
    expect(budget.reserve({ tokens: 80 })).toBe('tokens');
    budget.settle(hold, call(5));
    expect(budget.reserve({ tokens: 80 })).not.toBe('tokens');
  });

  it('keeps a slice that only a last answer may use', () => {
    const budget = new Budget({ modelCalls: 10 });
    for (let index = 0; index < 9; index++) budget.settle(budget.reserve({ modelCalls: 1 }) as Hold, call(1));
    expect(budget.reserve({ modelCalls: 1 })).toBe('modelCalls');
    expect(budget.reserve({ modelCalls: 1 }, { lastAnswer: true })).not.toBe('modelCalls');
  });

  it('allows the one call of a limit of one', () => {
    expect(new Budget({ modelCalls: 1 }).reserve({ modelCalls: 1 })).toEqual({ cost: { modelCalls: 1 } });
  });

  it('draws a child on its parent while both run', () => {
    const parent = new Budget({ tokens: 100 });
    const first = parent.child();
    const second = parent.child({ tokens: 50 });
    first.settle(first.reserve({ tokens: 60 }) as Hold, call(60));
    expect(parent.spent.tokens).toBe(60);
    expect(second.reserve({ tokens: 40 })).toBe('tokens');
    expect(second.reserve({ tokens: 20 })).not.toBe('tokens');
  });

  it('counts time as the union of spans, so that parallel steps and waits cost nothing extra', () => {
    const budget = new Budget({ ms: 1_000 });
    budget.settle(undefined, noUsage, { from: 0, to: 100 });
    budget.settle(undefined, noUsage, { from: 50, to: 120 });
    budget.settle(undefined, noUsage, { from: 10_000, to: 10_030 });
    expect(budget.activeMs).toBe(150);
    expect(budget.remainingMs()).toBe(750);
    budget.settle(undefined, noUsage, { from: 20_000, to: 20_749 });
    expect(budget.reserve({})).toEqual({ cost: {} });
    budget.settle(undefined, noUsage, { from: 20_749, to: 20_750 });
    expect(budget.reserve({})).toBe('ms');
  });

  it('never lets reserved plus settled cross a limit, whatever the order of calls', () => {
    const action = fc.record({ tokens: fc.nat(40), settle: fc.boolean(), child: fc.boolean() });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 1, max: 200 }), (actions, limit) => {
        const parent = new Budget({ tokens: limit });
        const child = parent.child();
        let granted = 0;
        for (const { tokens, settle, child: inChild } of actions) {
          const budget = inChild ? child : parent;
          const hold = budget.reserve({ tokens });
          if (typeof hold === 'string') continue;
          granted += tokens;
          if (settle) budget.settle(hold, call(tokens));
        }
        expect(granted).toBeLessThanOrEqual(limit * 0.9);
      }),
    );
  });

  it('does not count a span again that lies in an earlier one', () => {
    const budget = new Budget({});
    for (const [from, to] of [
      [0, 100],
      [10, 50],
      [60, 90],
      [95, 105],
    ] as const)
      budget.settle(undefined, noUsage, { from, to });
    expect(budget.activeMs).toBe(105);
  });

  it('lets a last answer use the whole of the time, and tells what is left in every ancestor', () => {
    const parent = new Budget({ ms: 1_000 });
    const child = parent.child({ ms: 5_000 });
    child.settle(undefined, noUsage, { from: 0, to: 950 });
    expect(child.remainingMs()).toBe(-50);
    expect(child.remainingMs({ lastAnswer: true })).toBe(50);
    expect(child.reserve({})).toBe('ms');
    expect(child.reserve({}, { lastAnswer: true })).toEqual({ cost: {} });
    expect(new Budget({}).remainingMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('keeps no tool call for the last answer, and nothing of a limit of one model call', () => {
    expect(new Budget({ toolCalls: 1 }).reserve({ toolCalls: 1 })).toEqual({ cost: { toolCalls: 1 } });
    expect(new Budget({ modelCalls: 0 }).reserve({ modelCalls: 1 })).toBe('modelCalls');
    const two = new Budget({ modelCalls: 2 });
    two.settle(two.reserve({ modelCalls: 1 }) as Hold, call(1));
    expect(two.reserve({ modelCalls: 1 })).toBe('modelCalls');
    expect(two.reserve({ modelCalls: 1 }, { lastAnswer: true })).toEqual({ cost: { modelCalls: 1 } });
  });

  it('gives a hold back in every ancestor', () => {
    const parent = new Budget({ tokens: 100 });
    const child = parent.child();
    const hold = child.reserve({ tokens: 90 }) as Hold;
    expect(parent.reserve({ tokens: 1 })).toBe('tokens');
    child.settle(hold, noUsage);
    expect(parent.reserve({ tokens: 90 })).toEqual({ cost: { tokens: 90 } });
  });

  it('comes to the same ledger from recorded usage alone', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), (costs) => {
        const live = new Budget({});
        const replayed = new Budget({});
        for (const tokens of costs) {
          live.settle(live.reserve({ tokens: 10 }) as Hold, call(tokens));
          replayed.settle(undefined, call(tokens));
        }
        expect(replayed.spent).toEqual(live.spent);
      }),
    );
  });
});

describe('checkedLimits', () => {
  it('leaves out what does not bound and refuses what is no limit', () => {
    expect(
      JSON.parse(JSON.stringify(checkedLimits({ tokens: Number.POSITIVE_INFINITY, ms: undefined, usd: 0 }))),
    ).toEqual({
      usd: 0,
    });
    expect(() => checkedLimits({ toolCalls: -1 })).toThrow('The limit toolCalls is -1');
    expect(() => checkedLimits({ usd: Number.NaN })).toThrow('The limit usd is NaN');
  });
});
