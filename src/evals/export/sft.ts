/** Supervised fine-tuning: the conversation of a run that succeeded, else its question and answer. */
import type { ZodType } from 'zod';
import type { Example, TaskGroup } from './example.ts';
import type { ChatMessage, ChatTool, Conversation, ExportRun } from './export-run.ts';
import { questionText } from './prompts.ts';
import { OpenAiChat, TrlChat, TrlPromptCompletion } from './shapes.ts';

/** `trl-completion` has a row for each turn to learn, whose loss is on that turn alone; `trl` leaves the loss to the trainer. */
export type SftShape = 'openai' | 'trl' | 'trl-completion';

export const sftSchemas: Readonly<Record<SftShape, ZodType>> = {
  openai: OpenAiChat,
  trl: TrlChat,
  'trl-completion': TrlPromptCompletion,
};

/** An example for each success of the group. */
export function sftExamples({ runs }: TaskGroup, shape: SftShape): Example[] {
  return runs.flatMap(({ run, answers }) => {
    const final = answers.find((answer) => answer.isFinal);
    if (!final?.verdict.pass) return [];
    const conversation = run.conversation ?? questionAndAnswer(run, final.answer);
    return [
      {
        rows: rowsOf(conversation, shape),
        answers: [final],
        rebuilt: run.conversation !== undefined,
        unseenEvidence: run.usedTools && !run.conversation,
      },
    ];
  });
}

function questionAndAnswer({ task }: ExportRun, answer: string): Conversation {
  return {
    messages: [
      { role: 'user', content: questionText(task) },
      { role: 'assistant', content: answer, calls: [], weight: 1 },
    ],
    tools: [],
  };
}

function rowsOf({ messages, tools }: Conversation, shape: SftShape): object[] {
  const listed = tools.length > 0 ? { tools: tools.map(toolRow) } : {};
  switch (shape) {
    case 'openai':
      return [
        { messages: messages.map(openAiMessage), ...listed, ...(tools.length > 0 && { parallel_tool_calls: true }) },
      ];
    case 'trl':
      return [{ messages: messages.map(trlMessage), ...listed }];
    case 'trl-completion':
      return messages.flatMap((message, at) =>
        message.role === 'assistant' && message.weight === 1
          ? [{ prompt: messages.slice(0, at).map(trlMessage), completion: [trlMessage(message)], ...listed }]
          : [],
      );
    default:
      return shape satisfies never;
  }
}

function toolRow({ name, description, parameters }: ChatTool): object {
  return { type: 'function', function: { name, description, parameters } };
}

function openAiMessage(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
  if (message.role !== 'assistant') return message;
  const { content, calls, weight } = message;
  const made = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return {
    role: 'assistant',
    ...(content !== '' && { content }),
    ...(made.length > 0 && { tool_calls: made }),
    weight,
  };
}

function trlMessage(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', name: message.name, content: message.content };
  if (message.role !== 'assistant') return message;
  const { content, calls } = message;
  const made = calls.map(({ name, args }) => ({ type: 'function', function: { name, arguments: args } }));
  return { role: 'assistant', ...(content !== '' && { content }), ...(made.length > 0 && { tool_calls: made }) };
}
