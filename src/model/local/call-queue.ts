/** One call at a time, in the order they came. */
export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the call when its turn has come. A call whose signal aborts before is not run, and rejects at once. */
  async run<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    const { promise: left, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const turn = this.#last.then(async () => {
      signal?.removeEventListener('abort', onAbort);
      signal?.throwIfAborted();
      return await call();
    });
    this.#last = turn.catch(() => undefined);
    return await Promise.race([turn, left]);
  }
}
