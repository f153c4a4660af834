export interface ReadableOptions<T> {
  /** The reader went away before the end. */
  onGone(): void;
  /** Given whenever nothing has come for so many milliseconds. */
  beat?: { item: T; everyMs: number };
}

/** An async iterable as a web stream, read no faster than its reader asks. */
export function readableOf<T>(items: AsyncIterable<T>, options: ReadableOptions<T>): ReadableStream<T> {
  const iterator = items[Symbol.asyncIterator]();
  const { beat } = options;
  let next: Promise<IteratorResult<T>> | undefined;
  let isGone = false;
  return new ReadableStream<T>({
    async pull(controller) {
      next ??= iterator.next();
      const step = beat ? await within(next, beat) : await next;
      if (isGone) return;
      if ('beat' in step) return controller.enqueue(step.beat);
      next = undefined;
      if (step.done) controller.close();
      else controller.enqueue(step.value);
    },
    cancel() {
      isGone = true;
      options.onGone();
      // It takes effect when the iterator gives its next item, which nobody waits for.
      void iterator.return?.().catch(() => {});
    },
  });
}

/** What comes first: the next item, or the moment for a beat. */
async function within<N, T>(
  next: Promise<N>,
  { item, everyMs }: { item: T; everyMs: number },
): Promise<N | { beat: T }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ beat: T }>((resolve) => {
    timer = setTimeout(resolve, everyMs, { beat: item });
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A server-sent event whose data is a JSON value. */
export function eventFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** What ends a stream of JSON events, as OpenAI and the AI SDK have it. */
export const doneFrame = 'data: [DONE]\n\n';

/** A comment, which clients skip and proxies count as a sign of life. `text` is one line. */
export function commentFrame(text: string): string {
  return `: ${text}\n\n`;
}

/** Frames as the body of a response, with a comment every 15 seconds of silence. */
export function frameStream(frames: AsyncIterable<string>, onGone: () => void): ReadableStream<Uint8Array> {
  return readableOf(encoded(frames), {
    onGone,
    beat: { item: utf8.encode(commentFrame('still at work')), everyMs: 15_000 },
  });
}

const utf8 = new TextEncoder();

async function* encoded(frames: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) yield utf8.encode(frame);
}

/** Headers of a stream of server-sent events that no proxy may hold back or store. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;
