/**
 * The shapes of training files, as their readers document them; every line is checked against one before it is written.
 *
 * TRL: `docs/source/dataset_formats.md` of huggingface/trl, revision 0087e4f5: conversational language modelling,
 * prompt-completion and preference with an explicit prompt, and "Tool Calling": calls with an object of arguments, results by the name of
 * the tool, a column `tools`. OpenAI: the guides "Supervised fine-tuning" and "Direct preference optimization" and the schemas
 * FineTuneChatRequestInput and FineTunePreferenceRequestInput of its API reference (2.3.0).
 */
import * as z from 'zod';

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'a function name has 1 to 64 letters, digits, _ and -');
const text = z.string().min(1);
const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({ name, description: z.string().optional(), parameters: z.record(z.string(), z.json()) }),
});

const jsonObject = z.string().refine((value) => {
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed);
  } catch {
    return false;
  }
}, 'the arguments of a call are the text of a JSON object');

const Said = { role: z.literal(['system', 'user']), content: text };

const OpenAiCall = z.strictObject({
  id: text,
  type: z.literal('function'),
  function: z.strictObject({ name, arguments: jsonObject }),
});
const OpenAiAssistant = z
  .strictObject({
    role: z.literal('assistant'),
    content: text.optional(),
    tool_calls: z.array(OpenAiCall).min(1).optional(),
    weight: z.literal([0, 1]).optional(),
  })
  .refine(
    (message) => message.content !== undefined || message.tool_calls,
    'an assistant message says or calls something',
  );
const OpenAiMessage = z.union([
  z.strictObject(Said),
  OpenAiAssistant,
  z.strictObject({ role: z.literal('tool'), tool_call_id: text, content: z.string() }),
]);
type OpenAiMessage = z.infer<typeof OpenAiMessage>;

/** Every call of a message is answered by the messages after it, before anybody else speaks; but for those of the last message. */
function callsAreAnswered(messages: readonly OpenAiMessage[]): boolean {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return false;
    } else if (open.size > 0) return false;
    else if (message.role === 'assistant') open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  return open.size === 0 || messages.at(-1)?.role === 'assistant';
}

const unanswered = 'each call has one result, right after the message that makes it';
const endsWithAssistant = (messages: readonly { role: string }[]): boolean => messages.at(-1)?.role === 'assistant';

export const OpenAiChat: z.ZodType = z
  .strictObject({
    messages: z
      .array(OpenAiMessage)
      .min(2)
      .refine(endsWithAssistant, 'a conversation ends with the assistant')
      .refine(callsAreAnswered, unanswered)
      .refine(
        (messages) => messages.some((message) => message.role === 'assistant' && message.weight !== 0),
        'no message has a weight, so nothing would be learnt',
      ),
    tools: z.array(Tool).min(1).max(128).optional(),
    parallel_tool_calls: z.boolean().optional(),
  })
  .refine(
    ({ tools, parallel_tool_calls: parallel }) => tools || parallel === undefined,
    'parallel_tool_calls needs tools',
  );

const Preferred = z.tuple([z.strictObject({ role: z.literal('assistant'), content: text })]);

export const OpenAiPreference: z.ZodType = z.strictObject({
  input: z.strictObject({
    messages: z.array(z.strictObject(Said)).min(1),
    tools: z.array(Tool),
    parallel_tool_calls: z.boolean(),
  }),
  preferred_output: Preferred,
  non_preferred_output: Preferred,
});

const TrlAssistant = z
  .strictObject({
    role: z.literal('assistant'),
    content: text.optional(),
    tool_calls: z
      .array(
        z.strictObject({
          type: z.literal('function'),
          function: z.strictObject({ name, arguments: z.record(z.string(), z.json()) }),
        }),
      )
      .min(1)
      .optional(),
  })
  .refine(
    (message) => message.content !== undefined || message.tool_calls,
    'an assistant message says or calls something',
  );
const TrlMessage = z.union([
  z.strictObject(Said),
  TrlAssistant,
  z.strictObject({ role: z.literal('tool'), name, content: z.string() }),
]);

export const TrlChat: z.ZodType = z.strictObject({
  messages: z.array(TrlMessage).min(2).refine(endsWithAssistant, 'a conversation ends with the assistant'),
  tools: z.array(Tool).min(1).optional(),
});

export const TrlPromptCompletion: z.ZodType = z.strictObject({
  prompt: z.array(TrlMessage).min(1),
  completion: z.tuple([TrlAssistant]),
  tools: z.array(Tool).min(1).optional(),
});

const TrlAnswer = z.tuple([z.strictObject({ role: z.literal('assistant'), content: text })]);

export const TrlPreference: z.ZodType = z.strictObject({
  prompt: z.array(z.strictObject(Said)).min(1),
  chosen: TrlAnswer,
  rejected: TrlAnswer,
});

export const TrlTextPreference: z.ZodType = z.strictObject({ prompt: text, chosen: text, rejected: text });

/** A range of tokens, the end not included, of the tokens of all segments one after the other. */
const Span = z.strictObject({ start: z.int().min(0), end: z.int().min(0), loss: z.boolean() });

/** Ours: Chain of Hindsight has no common format. The text of a row is its segments, put together. */
export const HindsightRow: z.ZodType = z.strictObject({
  segments: z
    .array(z.strictObject({ text, loss: z.boolean() }))
    .min(4)
    .refine((segments) => segments.some(({ loss }) => loss), 'no segment has a loss'),
  tokens: z.array(Span).optional(),
  masked: z.array(z.int().min(1)).optional(),
});
