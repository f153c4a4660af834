/** A transcript of the loop as a chat to learn from. */
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { JsonSchema } from '../../core/json.ts';
import { messageText } from '../../model/prompt-text.ts';
import type { ChatCall, ChatMessage, ChatTool } from './export-run.ts';

/**
 * The messages of a transcript. Reasoning is left out: it belongs to the provider. A turn that was sent back has the weight 0: one with a
 * refused call, a `final` that was not accepted, a reply that could not be read.
 */
export function chatOf(messages: readonly LanguageModelV4Message[]): ChatMessage[] {
  return messages.flatMap((message, index): ChatMessage[] => {
    switch (message.role) {
      case 'system':
      case 'user':
        return [{ role: message.role, content: messageText(message) }];
      case 'assistant':
        return [assistantOf(message, messages[index + 1])];
      case 'tool':
        return message.content.flatMap((part) =>
          part.type === 'tool-result'
            ? [
                {
                  role: 'tool',
                  callId: part.toolCallId,
                  name: part.toolName,
                  content: outputOf(message, part.toolCallId),
                },
              ]
            : [],
        );
      default:
        return message satisfies never;
    }
  });
}

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type Results = Extract<LanguageModelV4Message, { role: 'tool' }>;

function assistantOf(message: Assistant, next: LanguageModelV4Message | undefined): ChatMessage {
  const calls = message.content.flatMap((part): ChatCall[] =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, args: part.input }] : [],
  );
  const content = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { role: 'assistant', content, calls, weight: wasSentBack(next) ? 0 : 1 };
}

/** The text protocol has no tool messages: its results begin so, and that of a refused `final` names it. */
const textResult = /^Result of (?!final:)/;

function wasSentBack(next: LanguageModelV4Message | undefined): boolean {
  if (next?.role === 'tool')
    return next.content.some((part) => part.type === 'tool-result' && part.output.type === 'error-text');
  return next?.role === 'user' && !textResult.test(messageText(next));
}

function outputOf({ content }: Results, callId: string): string {
  const found = content.find((part) => part.type === 'tool-result' && part.toolCallId === callId);
  if (found?.type !== 'tool-result') return '';
  const { output } = found;
  // The loop writes no other kinds.
  return output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output);
}

export function chatTools(tools: readonly LanguageModelV4FunctionTool[]): ChatTool[] {
  return tools.map(({ name, description = '', inputSchema }) => {
    const { $schema: _, ...parameters } = inputSchema;
    // A JSON Schema is JSON.
    return { name, description, parameters: parameters as JsonSchema };
  });
}
