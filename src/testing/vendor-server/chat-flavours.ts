import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { chatCompletions, declaredTools } from './openai-chat.ts';
import { usage, type VendorProtocol } from './reply.ts';
import { grammarProblem } from './schema-checks.ts';

/** The vendors and servers that speak OpenAI's chat completions, each with what it alone refuses and says. */

type Refusal = (body: JsonSchema) => string | undefined;

/** The first refusal that applies. */
function all(...refusals: Refusal[]): Refusal {
  return (body) => refusals.map((refuse) => refuse(body)).find((problem) => problem !== undefined);
}

const messagesOf = (body: JsonSchema): JsonSchema[] => asList(body['messages']).map((value) => asSchema(value) ?? {});
const formatType = (body: JsonSchema): Json | undefined => asSchema(body['response_format'])?.['type'];
const formatSchema = (body: JsonSchema): Json | undefined =>
  asSchema(asSchema(body['response_format'])?.['json_schema'])?.['schema'];
const modelOf = (body: JsonSchema): string => String(body['model']);
const isForced = ({ tool_choice: choice }: JsonSchema): boolean =>
  choice === 'required' || choice === 'any' || asSchema(choice) !== undefined;

/** JSON without a schema is only given when the prompt speaks of it. */
const asksForJson: Refusal = (body) =>
  formatType(body) === 'json_object' && !/json/i.test(JSON.stringify(body['messages']))
    ? "messages must contain the word 'json' in some form, to use 'response_format' of type 'json_object'"
    : undefined;

function unknownField(...names: string[]): Refusal {
  return (body) => {
    const found = names.find((name) => name in body);
    return found && `Unrecognized request argument supplied: ${found}`;
  };
}

const grammars: Refusal = (body) =>
  [...declaredTools(body).map(({ parameters }) => parameters), formatSchema(body)]
    .map(grammarProblem)
    .find((problem) => problem !== undefined);

const mistralRoles: Refusal = (body) => {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'user' && messages[index - 1]?.['role'] === 'tool') {
      return "Unexpected role 'user' after role 'tool'";
    }
    const ids = [message['tool_call_id'], ...asList(message['tool_calls']).map((call) => asSchema(call)?.['id'])];
    const odd = ids.find((id) => id !== undefined && !/^[a-zA-Z0-9]{9}$/.test(String(id)));
    if (odd !== undefined) return `Tool call id was ${String(odd)} but must be a-z, A-Z, 0-9, with a length of 9.`;
  }
  return undefined;
};

export const mistral: VendorProtocol = chatCompletions({
  refuse: all(mistralRoles, unknownField('store', 'stream_options')),
  thoughtField: 'content',
  thoughtValue: (text) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
  usage: {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    num_cached_tokens: usage.cached,
  },
  usageIn: 'last-chunk',
  error: (_status, message) => ({ object: 'error', message, type: 'invalid_request_error', param: null, code: '3051' }),
  tooLong: {
    message: 'Prompt contains 9000 tokens and 0 draft tokens, too large for model with 4096 maximum context length',
  },
});

export const groq: VendorProtocol = chatCompletions({
  refuse: all(
    asksForJson,
    (body) =>
      formatType(body) === 'json_schema' && !/gpt-oss|llama-4|kimi-k2/.test(modelOf(body))
        ? 'This model does not support response format `json_schema`.'
        : undefined,
    (body) =>
      formatType(body) !== undefined && declaredTools(body).length > 0
        ? 'json mode cannot be combined with tool/function calling'
        : undefined,
  ),
  thoughtField: 'reasoning',
  usageIn: 'x_groq',
  error: (_status, message) => ({ error: { message, type: 'invalid_request_error' } }),
  tooLong: {
    message: 'Please reduce the length of the messages or completion.',
    words: { type: 'invalid_request_error', code: 'context_length_exceeded' },
  },
});

const thinksByDefault = /v4|deepseek-flash|deepseek-pro|reasoner/;

const deepSeekThinking: Refusal = (body) => {
  const type = asSchema(body['thinking'])?.['type'];
  const thinks = type === undefined ? thinksByDefault.test(modelOf(body)) : type === 'enabled';
  if (thinks && isForced(body)) return 'Thinking mode does not support this tool_choice';
  const bare = messagesOf(body).some((message) => 'tool_calls' in message && !('reasoning_content' in message));
  return thinks && bare ? 'The `reasoning_content` in the thinking mode must be passed back to the API.' : undefined;
};

export const deepSeek: VendorProtocol = chatCompletions({
  refuse: all(asksForJson, deepSeekThinking, (body) =>
    formatType(body) === 'json_schema' ? 'This response_format type is unavailable now' : undefined,
  ),
  usage: {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_cache_hit_tokens: usage.cached,
    prompt_cache_miss_tokens: usage.input - usage.cached,
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  },
  usageIn: 'last-chunk',
});

export const alibaba: VendorProtocol = chatCompletions({
  refuse: all(
    asksForJson,
    (body) =>
      isForced(body) && body['enable_thinking'] !== false
        ? 'The tool_choice parameter does not support being set to required or object in thinking mode'
        : undefined,
    (body) =>
      formatType(body) === 'json_schema' && !/qwen3\.[78]/.test(modelOf(body))
        ? "'response_format.type' must be one of text, json_object"
        : undefined,
  ),
  tooLong: {
    message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 4096]',
    words: { code: 'invalid_parameter_error' },
  },
});

export const moonshotAi: VendorProtocol = chatCompletions({
  refuse: all(
    (body) => (JSON.stringify(formatSchema(body) ?? {}).includes('$schema') ? '$schema is not supported' : undefined),
    (body) =>
      body['tool_choice'] === 'required' && /k2\.[67]/.test(modelOf(body))
        ? "tool_choice 'required' is incompatible with thinking enabled"
        : undefined,
    (body) => ('temperature' in body && /kimi-k/.test(modelOf(body)) ? 'invalid temperature' : undefined),
  ),
  tooLong: { message: 'Invalid request: Your request exceeded model token limit: 4096' },
});

export const zhipu: VendorProtocol = chatCompletions({
  refuse: all(
    unknownField('stream_options', 'strict', 'prompt_cache_key'),
    (body) =>
      body['tool_choice'] !== undefined && body['tool_choice'] !== 'auto' ? 'tool_choice 参数非法' : undefined,
    (body) => (formatType(body) === 'json_schema' ? 'response_format 参数非法' : undefined),
  ),
  usageIn: 'last-chunk',
  finish: { content_filter: 'sensitive' },
  error: (_status, message) => ({ error: { code: '1210', message } }),
  tooLong: { message: 'Prompt 超长', words: { code: '1261' } },
});

export const openRouter: VendorProtocol = chatCompletions({
  thoughtField: 'reasoning_details',
  thoughtValue: (text) => [
    { type: 'reasoning.text', text, signature: 'signed', format: 'anthropic-claude-v1', index: 0 },
  ],
  error: (status, message) => ({ error: { code: status, message, metadata: {} }, user_id: 'user' }),
  tooLong: {
    message: "This endpoint's maximum context length is 4096 tokens. However, you requested about 9000 tokens.",
  },
});

const byName: Refusal = ({ tool_choice: choice }) =>
  asSchema(choice) ? "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" : undefined;

export const llamaCpp: VendorProtocol = chatCompletions({
  // The real one ignores a name; here it is a refusal, so that nobody relies on it.
  refuse: all(grammars, byName),
  error: (status, message) => ({ error: { code: status, message, type: 'invalid_request_error' } }),
  tooLong: {
    message: 'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    words: { type: 'exceed_context_size_error', n_prompt_tokens: 9000, n_ctx: 4096 },
  },
});

export const lmStudio: VendorProtocol = chatCompletions({
  refuse: all(grammars, byName),
  error: (_status, message) => ({ error: message }),
  tooLong: {
    message:
      'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length ' +
      'of only 4096 tokens, which is not enough.',
  },
});

export const vllm: VendorProtocol = chatCompletions({
  refuse: grammars,
  thoughtField: 'reasoning',
  error: (status, message) => ({ error: { message, type: 'BadRequestError', param: null, code: status } }),
  tooLong: { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 4096.' },
});

export const compatible: VendorProtocol = chatCompletions({ refuse: grammars });

const openAiChat = chatCompletions({ anyOrder: true });

/** Azure's older door: a deployment in the path, a version in the query, the key in a header of its own. */
export const azureChat: VendorProtocol = {
  ...openAiChat,
  refuse: (body, request) => {
    if (!request.query.get('api-version')) return 'Resource not found: api-version is missing';
    return request.key ? openAiChat.refuse(body, request) : 'Access denied: no api-key';
  },
};
