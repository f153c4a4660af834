import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** The texts of all system messages, in order. */
export function systemText(prompt: LanguageModelV4Prompt): string {
  return prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
}

/**
 * The messages without the system texts as one readable text. A first user message stands bare and every later message
 * has a label, so that the text of a longer conversation begins with the text of the shorter one.
 */
export function conversationText(prompt: LanguageModelV4Prompt): string {
  return prompt
    .filter((message) => message.role !== 'system')
    .map((message, index) => (index === 0 && message.role === 'user' ? messageText(message) : labelled(message)))
    .join('\n\n');
}

/** What a message says, tool calls and results included, reasoning and files named but not shown. */
export function messageText(message: LanguageModelV4Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content
    .map(partText)
    .filter((text) => text !== '')
    .join('\n');
}

const labels = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

function labelled(message: LanguageModelV4Message): string {
  return `${labels[message.role]}:\n${messageText(message)}`;
}

type Part = Exclude<LanguageModelV4Message['content'], string>[number];

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool-call':
      return `Call ${part.toolName} ${JSON.stringify(part.input) ?? ''}`.trimEnd();
    case 'tool-result':
      return `Result of ${part.toolName}:\n${outputText(part.output)}`;
    case 'tool-approval-response':
      return part.approved ? 'Approved.' : `Denied. ${part.reason ?? ''}`.trimEnd();
    case 'file':
      return `[file ${part.filename ?? part.mediaType}]`;
    default:
      return '';
  }
}

function outputText(output: LanguageModelV4ToolResultPart['output']): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return `Denied. ${output.reason ?? ''}`.trimEnd();
    case 'content':
      return output.value.map((item) => (item.type === 'text' ? item.text : `[${item.type}]`)).join('\n');
  }
}
