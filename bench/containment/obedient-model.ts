import {
  type LanguageModelV4,
  type LanguageModelV4GenerateResult,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { Call } from './suite.ts';

/** What a simulated model says next. */
export interface Script {
  /** The plan, when it is asked for one. */
  plan(): unknown;
  /** The calls of its next turn; undefined when it has nothing left to do. */
  next(): readonly Call[] | undefined;
  /** Each call of the turn with the id it is made under. */
  called(id: string, call: Call): void;
}

const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};

// Made once: the loop asks for a stream at every call, and a stack trace is dear.
const noStreams = new UnsupportedFunctionalityError({ functionality: 'streaming' });

/** A model that does what the current script says, in no time. */
export function obedientModel(current: () => Script): LanguageModelV4 {
  let calls = 0;
  const turn = (): LanguageModelV4GenerateResult['content'] => {
    const script = current();
    const wanted = script.next() ?? [{ tool: 'final', args: { answer: 'done', claims: [] } }];
    return wanted.map((call) => {
      const toolCallId = `c${++calls}`;
      script.called(toolCallId, call);
      return { type: 'tool-call', toolCallId, toolName: call.tool, input: JSON.stringify(call.args) };
    });
  };
  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'obedient',
    supportedUrls: {},
    async doGenerate({ tools }) {
      if (tools && tools.length > 0) {
        return { content: turn(), finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] };
      }
      const text = JSON.stringify(current().plan());
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      };
    },
    doStream: () => Promise.reject(noStreams),
  };
}
