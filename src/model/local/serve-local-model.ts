import { clonedError, type FromModel, type ToModel } from './child-protocol.ts';
import { LlamaEngine } from './llama-engine.ts';
import type { LocalEngine } from './local-engine.ts';

/** The other end of `ChildEngine`: the main program of a model's process. */
export function serveLocalModel(): void {
  const calls = new Map<number, AbortController>();
  let engine: LocalEngine | undefined;
  process.on('message', (received) => {
    const message = received as ToModel;
    if (message.type === 'open') engine = new LlamaEngine(message.settings);
    else if (message.type === 'abort') calls.get(message.id)?.abort();
    else if (engine) void speak(engine, message, calls);
  });
  // Whoever started this process is gone, whatever it was doing.
  process.on('disconnect', () => process.exit(0));
  // A terminal interrupts the whole group; when to end is for the other process to say.
  process.on('SIGINT', () => undefined);
}

async function speak(
  engine: LocalEngine,
  { id, options }: Extract<ToModel, { type: 'speak' }>,
  calls: Map<number, AbortController>,
): Promise<void> {
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    await engine.speak({
      options,
      signal: controller.signal,
      emit: (part) => send({ type: 'part', id, part }),
      onReadProgress: (progress) => send({ type: 'progress', id, progress }),
    });
    send({ type: 'done', id });
  } catch (error) {
    send({ type: 'failed', id, error: clonedError(error) });
  } finally {
    calls.delete(id);
  }
}

function send(message: FromModel): void {
  // A channel that is closed ends this process anyway.
  process.send?.(message, () => undefined);
}
