/**
 * A queue of callbacks, each called when no microtask is left to run: every branch of agent code has then reached its next operation,
 * since between two of them it uses microtasks only.
 *
 * 1. One callback at a time: the microtasks it leaves run before the next one is called.
 * 2. Cheaper than macrotasks, but every so often it is one, so that input, output and timers get their turn.
 */

/** How many callbacks may follow each other before the event loop goes round. */
const mostInARow = 64;

let inARow = 0;
let queue: (() => void)[] = [];
let head = 0;

/** Calls back when it is quiet, after all that asked before. */
export function whenQuiet(callback: () => void): void {
  if (queue.push(callback) === 1) arm();
}

function arm(): void {
  if (++inARow >= mostInARow) {
    inARow = 0;
    setImmediate(callNext);
  } else {
    // What is queued with nextTick from a microtask runs after all microtasks.
    queueMicrotask(nextTick);
  }
}

function nextTick(): void {
  process.nextTick(callNext);
}

function callNext(): void {
  const callback = queue[head++];
  if (head < queue.length) arm();
  else {
    queue = [];
    head = 0;
  }
  callback?.();
}
