import {
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  type LanguageModelV4Usage,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { traitsOf } from '../capability.ts';
import { classifyError, ModelCallError } from '../classify-error.ts';
import type { Passage, ProviderLimiter } from '../rate-limit.ts';
import { partsOf, streamOf } from '../reply-parts.ts';
import { type ResolveOptions, resolveModel } from '../resolve.ts';
import { retryAfter } from '../retry.ts';
import type { ModelChoice } from '../roles.ts';
import { asLanguageModel } from '../spec-versions.ts';
import { adaptToProvider, markAdapted } from '../wire.ts';

/**
 * The model behind a limiter: every call of the provider, also one that is made again, passes it first. A wait ends with the
 * call's signal, whose reason it rejects with. When the provider refuses a call and asks for a wait of up to 5 minutes, everybody
 * under the limit waits that long; a longer one is left to the call, which fails and says so. Tokens are assumed from the prompt
 * (4 bytes each) and corrected by the reported usage.
 */
export function limitModel(choice: Exclude<ModelChoice, string>, limiter: ProviderLimiter): LanguageModelV4 {
  const model = adaptToProvider(asLanguageModel(choice));
  return markAdapted({
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    ...traitsOf(model),
    async doGenerate(call) {
      const visit = await Visit.begin(model, limiter, call);
      return visit.whole(model, call);
    },
    async doStream(call) {
      const visit = await Visit.begin(model, limiter, call);
      return visit.streamed(model, call);
    },
  });
}

/** The same for a model by id. Throws what `resolveModel` throws. */
export async function limitModelById(
  id: string,
  limiter: ProviderLimiter,
  options: ResolveOptions = {},
): Promise<LanguageModelV4> {
  return limitModel(await resolveModel(id, options), limiter);
}

const bytesPerToken = 4;
const longestHoldMs = 300_000;
const neverAborts = new AbortController().signal;

/** One call of the provider, from its turn to its end. */
class Visit {
  readonly #passage: Passage | undefined;
  readonly #assumedTokens: number;

  private constructor(passage: Passage | undefined, assumedTokens: number) {
    this.#passage = passage;
    this.#assumedTokens = assumedTokens;
  }

  static async begin(
    model: LanguageModelV4,
    limiter: ProviderLimiter,
    { prompt, abortSignal = neverAborts }: LanguageModelV4CallOptions,
  ): Promise<Visit> {
    if (!limiter.limits(model)) return new Visit(undefined, 0);
    const assumedTokens = Math.ceil(Buffer.byteLength(JSON.stringify(prompt)) / bytesPerToken);
    return new Visit(await limiter.enter(model, assumedTokens, abortSignal), assumedTokens);
  }

  async whole(
    model: LanguageModelV4,
    call: LanguageModelV4CallOptions,
  ): Promise<Awaited<ReturnType<LanguageModelV4['doGenerate']>>> {
    try {
      const reply = await model.doGenerate(call);
      this.#leave(reply.usage);
      return reply;
    } catch (error) {
      await this.#fail(error);
      throw error;
    }
  }

  async streamed(model: LanguageModelV4, call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    let opened: LanguageModelV4StreamResult;
    try {
      opened = await model.doStream(call);
    } catch (error) {
      // A model of whole replies: asked so at once, or its caller would ask for a second turn.
      if (UnsupportedFunctionalityError.isInstance(error)) {
        return { stream: streamOf(partsOf(await this.whole(model, call))) };
      }
      await this.#fail(error);
      throw error;
    }
    return this.#passage ? { ...opened, stream: this.#followed(opened.stream) } : opened;
  }

  /** The stream as it is; the visit is over when it ends, whoever ends it. */
  #followed(stream: ReadableStream<LanguageModelV4StreamPart>): ReadableStream<LanguageModelV4StreamPart> {
    const reader = stream.getReader();
    return new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (done) {
              this.#leave(undefined);
              controller.close();
              return;
            }
            if (value.type === 'finish') this.#leave(value.usage);
            if (value.type === 'error') await this.#fail(value.error);
            controller.enqueue(value);
          } catch (error) {
            await this.#fail(error);
            controller.error(error);
          }
        },
        cancel: async (reason) => {
          this.#leave(undefined);
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  #leave(usage: LanguageModelV4Usage | undefined): void {
    // Zero is as unknown as none.
    const used = (usage?.inputTokens.total ?? 0) + (usage?.outputTokens.total ?? 0) || this.#assumedTokens;
    this.#passage?.leave(used);
  }

  async #fail(error: unknown): Promise<void> {
    const waitMs = await askedWaitMs(error);
    if (waitMs > 0 && waitMs <= longestHoldMs) this.#passage?.hold(waitMs);
    this.#leave(undefined);
  }
}

/** How long the provider that refused a call wants to be left alone; 0 when it did not say. */
async function askedWaitMs(error: unknown): Promise<number> {
  const { retryable, kind } = classifyError(error);
  if (!retryable || (kind !== 'rate-limit' && kind !== 'overloaded')) return 0;
  const now = Date.now();
  // The retry layer reads the answer; one without time gives up at once and says when a new call makes sense.
  const given: unknown = await retryAfter(error, () => Promise.reject(error), {
    signal: neverAborts,
    deadline: Number.NEGATIVE_INFINITY,
    now: () => now,
  }).catch((thrown: unknown) => thrown);
  return given instanceof ModelCallError && given.retryAt !== undefined ? given.retryAt - now : 0;
}
