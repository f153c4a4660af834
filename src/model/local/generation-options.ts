import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ChatModelFunctions, LLamaChatGenerateResponseOptions } from 'node-llama-cpp';
import type { LoadedLlama } from './load-llama.ts';
import type { Sampling } from './models-table.ts';
import type { ReplyWriter } from './reply-writer.ts';
import type { RequestPlan } from './request-plan.ts';

/** The planned schemas are what `GbnfJsonSchema` describes; that type says more of them than plain JSON can. */
export function functionsOf(
  { functions }: RequestPlan,
  names: readonly string[] = Object.keys(functions),
): ChatModelFunctions {
  const entries = names.map((name) => [name, functions[name]]);
  return Object.fromEntries(entries) as ChatModelFunctions;
}

/** What the reply is held to: a call, JSON, or nothing. */
export async function heldTo(
  { llama }: LoadedLlama,
  plan: RequestPlan,
  writer: ReplyWriter,
): Promise<LLamaChatGenerateResponseOptions<ChatModelFunctions>> {
  const onResponseChunk: LLamaChatGenerateResponseOptions['onResponseChunk'] = (chunk) => {
    if (!(plan.hasOptional && chunk.type === undefined)) writer.chunk(chunk);
  };
  if (plan.callable.length > 0) {
    return {
      onResponseChunk,
      functions: functionsOf(plan, plan.callable),
      maxParallelFunctionCalls: 1,
      onFunctionCallParamsChunk: ({ functionName, paramsChunk }) => {
        if (functionName !== plan.answerFunction) writer.callInput(functionName, paramsChunk);
        else if (!plan.hasOptional) writer.text(paramsChunk);
      },
    };
  }
  if (plan.grammar === undefined) return { onResponseChunk };
  const grammar =
    plan.grammar === true
      ? await llama.getGrammarFor('json')
      : // The type parameter wants to know the schema's shape, which nobody does here.
        await llama.createGrammarForJsonSchema(plan.grammar as { type: 'object' });
  return { onResponseChunk, grammar };
}

type Options = LanguageModelV4CallOptions;

type Sampled = Pick<
  LLamaChatGenerateResponseOptions,
  'temperature' | 'topP' | 'topK' | 'minP' | 'seed' | 'repeatPenalty' | 'budgets' | 'customStopTriggers'
>;

/** How tokens are chosen, and what ends a text. What a call does not say is said by the model's own values. */

export function samplingFor(options: Options, given: Sampling | undefined): Sampled {
  const temperature = options.temperature ?? given?.temperature ?? 0;
  const topP = options.topP ?? given?.topP;
  const topK = options.topK ?? given?.topK;
  const { seed, stopSequences, presencePenalty = 0, frequencyPenalty = 0 } = options;
  return {
    temperature,
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(given?.minP !== undefined && { minP: given.minP }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences && { customStopTriggers: stopSequences }),
    // A thought that begins all the same is ended at once where there is to be none.
    budgets: { thoughtTokens: thinks(options.reasoning) ? thoughtTokens[options.reasoning] : 0 },
    repeatPenalty: presencePenalty || frequencyPenalty ? { penalty: 1, presencePenalty, frequencyPenalty } : false,
  };
}

type Reasoning = Exclude<NonNullable<Options['reasoning']>, 'provider-default' | 'none'>;

const thoughtTokens: Readonly<Record<Reasoning, number>> = {
  minimal: 256,
  low: 1_024,
  medium: 4_096,
  high: 8_192,
  xhigh: 16_384,
  max: Number.POSITIVE_INFINITY,
};

/** Reasoning is off unless it is asked for: it takes minutes on a processor. */
export function thinks(reasoning: Options['reasoning']): reasoning is Reasoning {
  return reasoning !== undefined && reasoning in thoughtTokens;
}
