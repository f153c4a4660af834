import type { Hold } from '../../core/budget.ts';
import { messageOf } from '../../core/errors.ts';
import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import { type Embedding, type LessonStore, textToEmbed } from '../../memory/memory.ts';
import type { EmbeddingModel } from '../../model/embedding.ts';
import { costOf } from '../../model/prices.ts';
import { estimateTokens } from '../../model/token-count.ts';
import type { Run } from '../solver.ts';

/** What the embeddings of a step cost, and why it went without them, if it did. */
export interface Embedded {
  usage: Usage;
  failed?: string;
}

/** Lessons without a comparable embedding that one recall embeds, so that a changed model is caught up with in a few runs. */
const mostAtOnce = 16;

/**
 * Embeds inside one step: the budget is reserved there, and settled from what the step records. Vectors never enter the journal. A
 * failure costs the embeddings, never the step.
 */
export class Embedder {
  readonly holds: Hold[] = [];
  spent: Embedded = { usage: noUsage };
  readonly #run: Run;
  readonly #model: EmbeddingModel | undefined;
  readonly #signal: AbortSignal;

  constructor(run: Run, options: { model: EmbeddingModel | undefined; signal: AbortSignal }) {
    this.#run = run;
    this.#model = options.model;
    this.#signal = options.signal;
  }

  /** The embedding of one text; undefined without a model, and when it failed. */
  async one(text: string): Promise<Embedding | undefined> {
    return (await this.#embed([text]))[0];
  }

  /** Gives lessons of the scope an embedding of the query's kind, where they have none. */
  async catchUp(store: LessonStore, scope: string, query: Embedding): Promise<void> {
    const { model, vector } = query;
    const atOnce = Math.min(mostAtOnce, (await this.#model?.maxEmbeddingsPerCall) ?? mostAtOnce);
    const lessons = await store.unembedded({ scope, model, dimension: vector.length, limit: Math.max(1, atOnce) });
    if (lessons.length === 0) return;
    const embeddings = await this.#embed(lessons.map(textToEmbed));
    for (const [index, embedding] of embeddings.entries()) {
      const lesson = lessons[index];
      if (lesson) await store.embed(lesson.id, embedding);
    }
  }

  async #embed(values: string[]): Promise<Embedding[]> {
    const model = this.#model;
    if (!model || this.spent.failed !== undefined) return [];
    const estimate = values.reduce((sum, value) => sum + estimateTokens(value), 0);
    const reserved = this.#run.budget.reserve({ tokens: estimate, usd: this.#costOf(model, estimate) ?? 0 });
    if (typeof reserved === 'string') return this.#without(`the limit ${reserved} is used up`);
    this.holds.push(reserved);
    try {
      const { embeddings, usage } = await model.doEmbed({ values, abortSignal: this.#signal });
      this.#count(model, usage?.tokens || undefined, estimate);
      if (embeddings.length === values.length) {
        return embeddings.map((vector) => ({ model: `${model.provider}:${model.modelId}`, vector }));
      }
      return this.#without(`${model.modelId} gave ${embeddings.length} embeddings for ${values.length} texts`);
    } catch (error) {
      this.#signal.throwIfAborted();
      return this.#without(messageOf(error));
    }
  }

  #count(model: EmbeddingModel, reported: number | undefined, estimate: number): void {
    const tokens = reported ?? estimate;
    const usd = this.#costOf(model, tokens);
    const used = { inputTokens: tokens, tokens, usd: usd ?? 0, unpricedCalls: usd === undefined ? 1 : 0 };
    const usage = { ...noUsage, ...used, estimatedCalls: reported === undefined ? 1 : 0 };
    this.spent = { usage: addUsage(this.spent.usage, usage) };
  }

  #costOf(model: EmbeddingModel, inputTokens: number): number | undefined {
    const price = this.#run.priceOf(model);
    return price && costOf(price, { inputTokens, cachedTokens: 0, outputTokens: 0 });
  }

  #without(why: string): [] {
    this.spent = { ...this.spent, failed: this.#run.redact(why) };
    return [];
  }
}
