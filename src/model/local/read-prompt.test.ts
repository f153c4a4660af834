import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readPrompt } from './read-prompt.ts';

/** A sequence that takes this long for a token and remembers the pieces it was given. */
function sequence(msPerToken: number, cached: number): { fake: LlamaContextSequence; pieces: number[] } {
  const pieces: number[] = [];
  const fake = {
    nextTokenIndex: cached,
    adaptStateToTokens: async () => undefined,
    evaluateWithoutGeneratingNewTokens: async (tokens: Token[]) => {
      pieces.push(tokens.length);
      vi.advanceTimersByTime(tokens.length * msPerToken);
    },
  };
  // The reader uses no more of it.
  return { fake: fake as unknown as LlamaContextSequence, pieces };
}

const prompt = (length: number): Token[] => Array.from({ length }, (_, index) => index as Token);
const unhurried = { signal: undefined };

describe('reading a prompt in pieces', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('all but the last token is read, from where the cache ends', async () => {
    const { fake, pieces } = sequence(1, 40);
    expect(await readPrompt(fake, prompt(101), unhurried)).toBe(40);
    expect(pieces.reduce((sum, piece) => sum + piece, 0)).toBe(60);
    const same = sequence(1, 101);
    expect(await readPrompt(same.fake, prompt(101), unhurried)).toBe(100);
    expect(same.pieces).toEqual([]);
  });

  test('a slow machine gets small pieces, a fast one what is evaluated at once', async () => {
    const slow = sequence(10, 0);
    await readPrompt(slow.fake, prompt(100), unhurried);
    expect(Math.max(...slow.pieces)).toBe(20);
    const crawling = sequence(100, 0);
    await readPrompt(crawling.fake, prompt(100), unhurried);
    expect(Math.max(...crawling.pieces)).toBe(16);
    const fast = sequence(0.01, 0);
    await readPrompt(fast.fake, prompt(2_000), unhurried);
    expect(Math.max(...fast.pieces)).toBe(512);
  });
});
