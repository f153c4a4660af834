import { setTimeout as delay } from 'node:timers/promises';

const longestWaitMs = 60_000;

/**
 * Waits until nothing is left to wait for, asking again after each wait, since turns may move. Rejects with the signal's reason.
 */
export async function awaitTurn(leftMs: () => number | Promise<number>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const left = await leftMs();
    if (left <= 0) return;
    await pause(Math.min(left, longestWaitMs), signal);
  }
}

/** Resolves after so many milliseconds. Rejects with the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(Math.ceil(ms), undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
