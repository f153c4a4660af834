import { messageOf, mustPass } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { EmbeddingModel } from '../../model/embedding.ts';
import type { Run } from '../solver.ts';
import { Embedder } from './embedder.ts';

/** What a step of the memory records. */
interface Recorded<T> {
  value?: T;
  /** The memory failed, and why. */
  broke?: string;
  /** The embeddings failed, and why. */
  failed?: string;
  usage?: Usage;
}

/**
 * One touch of the memory, in a step. A memory that fails costs the lesson, never the answer: it is reported as an event, and the result
 * is undefined.
 */
export async function remember<T>(
  run: Run,
  what: 'recall' | 'report' | 'admit',
  model: EmbeddingModel | undefined,
  touch: (embedder: Embedder, context: StepContext) => Promise<T>,
): Promise<T | undefined> {
  let embedder: Embedder | undefined;
  let recorded: Recorded<T> = {};
  try {
    recorded = await run.step(`lessons.${what}`, async (context): Promise<Recorded<T>> => {
      embedder = new Embedder(run, { model, signal: context.signal });
      const said = await attempted(touch(embedder, context), { run, signal: context.signal });
      return model ? { ...said, ...embedder.spent } : said;
    });
  } catch (error) {
    if (mustPass(error)) throw error;
    recorded = { broke: run.redact(messageOf(error)) };
  } finally {
    settle(run, embedder, recorded.usage ?? noUsage);
  }
  if (recorded.broke !== undefined) run.emit({ type: 'lesson.failed', what, why: recorded.broke });
  if (recorded.failed !== undefined) {
    run.emit({ type: 'lesson.failed', what, why: `no embeddings, words alone are compared: ${recorded.failed}` });
  }
  return recorded.value;
}

/** A failure is a value, so that what was spent before it is recorded; only cancellation throws. */
async function attempted<T>(
  touched: Promise<T>,
  { run, signal }: { run: Run; signal: AbortSignal },
): Promise<Recorded<T>> {
  try {
    return { value: await touched };
  } catch (error) {
    signal.throwIfAborted();
    return { broke: run.redact(messageOf(error)) };
  }
}

function settle(run: Run, embedder: Embedder | undefined, usage: Usage): void {
  for (const hold of embedder?.holds ?? []) run.budget.settle(hold, noUsage);
  run.budget.settle(undefined, usage);
}
