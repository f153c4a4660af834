/**
 * The messages of a request as node-llama-cpp keeps a chat: a call stands together with its result in the turn of the model, so
 * messages with results only fill the calls before them.
 */
import {
  type LanguageModelV4CallOptions,
  type LanguageModelV4FilePart,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
  type LanguageModelV4ToolResultOutput,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { ChatHistoryItem, ChatModelResponse } from 'node-llama-cpp';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

export interface History {
  items: ChatHistoryItem[];
  warnings: SharedV4Warning[];
}

/** `instruction` goes to the end of the first system message. The last item is the turn of the model that is to be written. */
export function chatHistory(prompt: LanguageModelV4Prompt, instruction = ''): History {
  const results = resultsIn(prompt);
  const history: History = { items: [], warnings: [] };
  for (const message of prompt) {
    if (message.role === 'system') history.items.push({ type: 'system', text: message.content });
    else if (message.role === 'user') history.items.push({ type: 'user', text: userText(message.content) });
    else if (message.role === 'assistant') addTurn(history, message.content, results);
  }
  if (instruction !== '') instruct(history.items, instruction);
  turnOfModel(history.items);
  return history;
}

/** Throws `UnsupportedFunctionalityError` for files other than texts: a model here reads nothing else. */
export function refuseFiles({ prompt }: LanguageModelV4CallOptions): void {
  for (const message of prompt) if (message.role === 'user') userText(message.content);
}

function userText(parts: Extract<LanguageModelV4Message, { role: 'user' }>['content']): string {
  return parts.map((part) => (part.type === 'text' ? part.text : fileText(part))).join('\n');
}

function fileText({ data, mediaType }: LanguageModelV4FilePart): string {
  if (data.type === 'text') return data.text;
  if (data.type !== 'data' || !/^text(\/|$)/.test(mediaType)) {
    throw new UnsupportedFunctionalityError({ functionality: `a file of ${mediaType} as input of a local model` });
  }
  const bytes = typeof data.data === 'string' ? Buffer.from(data.data, 'base64') : data.data;
  return new TextDecoder().decode(bytes);
}

function resultsIn(prompt: LanguageModelV4Prompt): Map<string, LanguageModelV4ToolResultOutput> {
  const results = new Map<string, LanguageModelV4ToolResultOutput>();
  for (const message of prompt) {
    if (message.role !== 'tool' && message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-result') results.set(part.toolCallId, part.output);
  }
  return results;
}

function addTurn(
  history: History,
  parts: readonly AssistantPart[],
  results: ReadonlyMap<string, LanguageModelV4ToolResultOutput>,
): void {
  const { response } = turnOfModel(history.items);
  let startsNewChunk = true;
  for (const part of parts) {
    if (part.type === 'text') response.push(part.text);
    else if (part.type === 'reasoning') {
      response.push({ type: 'segment', segmentType: 'thought', text: part.text, ended: true });
    } else if (part.type === 'tool-call') {
      const result = resultValue(results.get(part.toolCallId));
      response.push({ type: 'functionCall', name: part.toolName, params: part.input, result, startsNewChunk });
      startsNewChunk = false;
    } else if (part.type !== 'tool-result') {
      history.warnings.push({ type: 'unsupported', feature: `a part of the type ${part.type}` });
    }
  }
}

/** The turn of the model at the end, new if the last item is somebody else's. */
function turnOfModel(items: ChatHistoryItem[]): ChatModelResponse {
  const last = items.at(-1);
  if (last?.type === 'model') return last;
  const turn: ChatModelResponse = { type: 'model', response: [] };
  items.push(turn);
  return turn;
}

function instruct(items: ChatHistoryItem[], instruction: string): void {
  const index = items.findIndex(({ type }) => type === 'system');
  const system = items[index];
  if (system?.type === 'system') items[index] = { type: 'system', text: `${system.text}\n\n${instruction}` };
  else items.unshift({ type: 'system', text: instruction });
}

function resultValue(output: LanguageModelV4ToolResultOutput | undefined): unknown {
  switch (output?.type) {
    case undefined:
      return '(no result)';
    case 'text':
    case 'json':
      return output.value;
    case 'error-text':
    case 'error-json':
      return { error: output.value };
    case 'execution-denied':
      return { error: `This call was denied.${output.reason ? ` ${output.reason}` : ''}` };
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  }
}
