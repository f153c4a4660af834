import { ChatError } from './chat-error.ts';

/** What is done with parameters that steer the sampling of one completion, which an agent that asks many does not have. */
export type SamplingChoice = 'refuse' | 'ignore';

/** With the value that asks for nothing. */
const samplingDefaults: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logit_bias: undefined,
  stop: undefined,
};

/** What has an effect, or asks for nothing more than what happens anyway. */
const understood: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'n',
  'stream',
  'stream_options',
  'response_format',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'logprobs',
  'top_logprobs',
  'modalities',
  'audio',
  'web_search_options',
]);

/** The names of the parameters that have no effect. Throws `ChatError` for one that would have changed the answer. */
export function ignoredParameters(body: Readonly<Record<string, unknown>>, sampling: SamplingChoice): string[] {
  return Object.entries(body).flatMap(([param, value]) => {
    if (value === null || value === undefined || understood.has(param)) return [];
    if (!Object.hasOwn(samplingDefaults, param)) return [param];
    if (value === samplingDefaults[param] || isEmpty(value)) return [];
    if (sampling === 'ignore') return [param];
    throw new ChatError(
      `Unsupported value: '${param}' cannot be set. An answer here comes from many calls of models, whose sampling the agent's ` +
        'configuration decides. Leave it out.',
      { param, code: 'unsupported_value' },
    );
  });
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
