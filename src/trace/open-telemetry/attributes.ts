/** What the spans say, by the GenAI conventions, and by OpenInference where that is wanted. */
import type { Attributes } from '@opentelemetry/api';
import type { RunEvent } from '../../core/event.ts';
import type { Status } from '../../core/result.ts';
import type { Usage } from '../../core/usage.ts';

/** What the user chose. */
export interface Vocabulary {
  agentName: string;
  /** Whether texts may be told. */
  content: boolean;
  openInference: boolean;
  providerOf(model: string, provider?: string): string | undefined;
}

export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

type Kind = 'AGENT' | 'CHAIN' | 'LLM' | 'TOOL';

/** Attributes that every span of a run has. */
export function commonAttributes(conversation: string, kind: Kind, { openInference }: Vocabulary): Attributes {
  return {
    'gen_ai.conversation.id': conversation,
    ...(openInference && { 'openinference.span.kind': kind, 'session.id': conversation }),
  };
}

export function runAttributes(event: EventOf<'run.start'>, words: Vocabulary): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': words.agentName,
    'gen_ai.request.model': event.model,
    ...providerAttributes(event.model, undefined, words),
    'assay.run.id': event.run,
    'assay.solver': event.solver,
    'assay.layers': event.layers,
    ...(words.openInference && { 'agent.name': words.agentName }),
    ...(words.content && { 'gen_ai.input.messages': textMessage('user', event.task) }),
    ...(words.content && words.openInference && { 'input.value': event.task, 'input.mime_type': 'text/plain' }),
  };
}

export function runEndAttributes(event: EventOf<'run.end'>, answer: string | undefined, words: Vocabulary): Attributes {
  const { usage } = event;
  const told = words.content && answer !== undefined;
  return {
    ...tokenAttributes(usage),
    'assay.run.status': event.status,
    'assay.run.active_ms': event.activeMs,
    'assay.usage.model_calls': usage.modelCalls,
    'assay.usage.tool_calls': usage.toolCalls,
    'assay.usage.estimated_calls': usage.estimatedCalls,
    'assay.usage.unpriced_calls': usage.unpricedCalls,
    'assay.usage.usd': usage.usd,
    ...errorOf(event.status),
    ...(words.content && { 'assay.run.reason': event.reason }),
    ...(told && { 'gen_ai.output.messages': textMessage('assistant', answer, 'stop') }),
    ...(told && words.openInference && { 'output.value': answer, 'output.mime_type': 'text/plain' }),
  };
}

export function chatAttributes(event: EventOf<'model.call'>, words: Vocabulary): Attributes {
  const { usage, prompt } = event;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': event.model,
    ...providerAttributes(event.model, event.provider, words),
    ...tokenAttributes(usage),
    ...(event.outcome === 'reply'
      ? { 'gen_ai.response.finish_reasons': [finishReason(event.detail)] }
      : { 'error.type': event.outcome === 'refused' ? 'timeout' : 'model_error' }),
    'assay.role': event.role,
    'assay.step': event.step,
    'assay.path': event.path,
    'assay.prompt.fingerprint': prompt.fingerprint,
    'assay.prompt.messages': prompt.messages,
    'assay.prompt.bytes': prompt.bytes,
    'assay.usage.estimated': usage.estimatedCalls > 0,
    ...(usage.unpricedCalls === 0 && usage.usd > 0 && { 'assay.usage.usd': usage.usd }),
    ...(words.openInference && chatInference(event, words)),
  };
}

function chatInference({ model, provider: served, usage }: EventOf<'model.call'>, words: Vocabulary): Attributes {
  const provider = words.providerOf(model, served);
  return {
    'llm.model_name': model,
    ...(provider !== undefined && { 'llm.provider': provider, 'llm.system': provider }),
    'llm.token_count.prompt': usage.inputTokens,
    'llm.token_count.completion': usage.outputTokens,
    'llm.token_count.total': usage.tokens,
    ...(usage.cachedTokens > 0 && { 'llm.token_count.prompt_details.cache_read': usage.cachedTokens }),
    ...(usage.unpricedCalls === 0 && usage.usd > 0 && { 'llm.cost.total': usage.usd }),
  };
}

/** `call` is the event that announced the call; it has the arguments. */
export function toolAttributes(
  event: EventOf<'tool.result'>,
  call: EventOf<'tool.call'> | undefined,
  words: Vocabulary,
): Attributes {
  const args = words.content && call ? JSON.stringify(call.args) : undefined;
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': event.tool,
    'gen_ai.tool.call.id': event.observation,
    'gen_ai.tool.type': 'function',
    ...(event.status !== 'ok' && { 'error.type': event.status }),
    'assay.path': event.path,
    'assay.tool.status': event.status,
    'assay.tool.result.chars': event.chars,
    ...(args !== undefined && { 'gen_ai.tool.call.arguments': args }),
    ...(words.content && { 'gen_ai.tool.call.result': event.preview }),
    ...(words.openInference && { 'tool.name': event.tool }),
    ...(args !== undefined && words.openInference && { 'input.value': args, 'input.mime_type': 'application/json' }),
    ...(words.content && words.openInference && { 'output.value': event.preview, 'output.mime_type': 'text/plain' }),
  };
}

/** The status of a run as an error: what failed or was stopped by a limit. */
export function errorOf(status: Status): { 'error.type'?: string } {
  return status === 'failed' || status === 'stopped' ? { 'error.type': status } : {};
}

export function providerAttributes(model: string, served: string | undefined, { providerOf }: Vocabulary): Attributes {
  const provider = providerOf(model, served);
  return provider === undefined ? {} : { 'gen_ai.provider.name': provider };
}

function tokenAttributes({ inputTokens, outputTokens, cachedTokens }: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cachedTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
  };
}

/** The AI SDK's word in that of the conventions. */
function finishReason(finish: string): string {
  return finish === 'tool-calls' ? 'tool_call' : finish.replaceAll('-', '_');
}

function textMessage(role: 'user' | 'assistant', content: string, finish?: string): string {
  return JSON.stringify([
    { role, parts: [{ type: 'text', content }], ...(finish !== undefined && { finish_reason: finish }) },
  ]);
}
