import type { LanguageModelV4Content, LanguageModelV4Message } from '@ai-sdk/provider';
import type { RebuiltCall, RebuiltRun } from '../../rebuild-run.ts';

/** A model call as it is listed. */
export function callRow({ index, seq, path, step, role, spoke, reply, messages, shared }: RebuiltCall): object {
  const { fingerprint, usage, span } = reply;
  return {
    index,
    ...(seq !== undefined && { seq }),
    path,
    step,
    role,
    model: spoke.model,
    provider: spoke.provider,
    fingerprint,
    messages,
    shared,
    outcome: reply.type,
    detail: reply.type === 'reply' ? reply.finish : reply.type === 'refused' ? reply.limit : reply.message,
    usage,
    ...(span && { ms: span.to - span.from }),
  };
}

/** One model call with its prompt, the tools it was told of and the reply. */
export function callView(rebuilt: RebuiltRun, call: RebuiltCall): object {
  return {
    ...callRow(call),
    prompt: rebuilt.prompt(call.index).map(shownMessage),
    tools: (call.tools ?? []).map((tool) =>
      tool.type === 'function'
        ? { name: tool.name, description: tool.description, inputSchema: tool.inputSchema }
        : { name: tool.name, description: undefined, inputSchema: {} },
    ),
    reply: call.reply.type === 'reply' ? call.reply.content.map(shownPart) : [],
  };
}

function shownMessage(message: LanguageModelV4Message): object {
  const { role, content } = message;
  return { role, content: typeof content === 'string' ? content : content.map(shownPart) };
}

type Part = LanguageModelV4Content | Exclude<LanguageModelV4Message['content'], string>[number];

/** Reasoning and what a provider signed are the provider's: they are sent back to it and shown to nobody. */
function shownPart(part: Part): object {
  const { providerOptions: _sent, providerMetadata: _signed, ...shown } = { ...part } as Record<string, unknown>;
  return part.type === 'reasoning' ? { type: 'reasoning', text: '' } : shown;
}
