import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';

/** What the tool of every benchmark returns: 312 characters. */
export const page: string = 'Mars has two moons, Phobos and Deimos. '.repeat(8);

const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};

/** An in-process model: calls `search` on each of its turns, then `final` if asked to. `delayMs` is asked at every call, `seen` gets it. */
export function instantModel(options: {
  turns: number;
  final: boolean;
  delayMs?(): number;
  seen?(call: LanguageModelV4CallOptions): void;
}): LanguageModelV4 {
  const reply = (prompt: LanguageModelV4CallOptions['prompt']): LanguageModelV4GenerateResult => {
    const turn = Math.floor((prompt.length - 1) / 2);
    const over = turn >= options.turns;
    const call = {
      type: 'tool-call' as const,
      toolCallId: `c${turn}`,
      toolName: over ? 'final' : 'search',
      input: over ? '{"answer":"two","claims":[]}' : `{"query":"q${turn}"}`,
    };
    const content: LanguageModelV4GenerateResult['content'] =
      over && !options.final ? [{ type: 'text', text: 'two' }] : [call];
    const unified = content[0]?.type === 'text' ? ('stop' as const) : ('tool-calls' as const);
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  };
  return {
    specificationVersion: 'v4',
    provider: 'instant',
    modelId: 'instant',
    supportedUrls: {},
    async doGenerate(call) {
      options.seen?.(call);
      const delayMs = options.delayMs?.() ?? 0;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      return reply(call.prompt);
    },
    doStream: () => Promise.reject(new Error('the benchmark does not stream')),
  };
}
