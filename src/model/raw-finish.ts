import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';

const unifiedOf: Record<string, LanguageModelV4FinishReason['unified']> = {
  stop: 'stop',
  STOP: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  'response.completed': 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  MAX_TOKENS: 'length',
  'response.incomplete': 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  tool_use: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
  sensitive: 'content-filter',
  SAFETY: 'content-filter',
};

/**
 * The finish reason in a raw chunk, or undefined. A provider package holds the reason back until its last frame; when that
 * frame is lost or followed by garbage it reports an error, although the server had said that the turn was complete.
 * Reads the wire formats of chat completions, Gemini, Anthropic messages, OpenAI responses and Bedrock's Converse.
 */
export function rawFinishReason(chunk: unknown): LanguageModelV4FinishReason | undefined {
  const raw =
    at(chunk, 'choices', 0, 'finish_reason') ??
    at(chunk, 'candidates', 0, 'finishReason') ??
    at(chunk, 'messageStop', 'stopReason') ??
    typedReason(chunk);
  return typeof raw === 'string' && raw !== '' ? { unified: unifiedOf[raw] ?? 'other', raw } : undefined;
}

function typedReason(chunk: unknown): unknown {
  const type = at(chunk, 'type');
  if (type === 'message_delta') return at(chunk, 'delta', 'stop_reason');
  return type === 'response.completed' || type === 'response.incomplete' ? type : undefined;
}

function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Reflect.get(here, key);
  }
  return here;
}
