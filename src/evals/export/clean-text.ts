/** Takes secrets, and on request personal data, out of a run before anything is made of it, so that masks and spans fit the clean text. */
import type { Redactor } from '../../trace/redact.ts';
import type { ChatMessage, Conversation, ExportAnswer, ExportRun } from './export-run.ts';

/** Linear: each repeat is bounded, and a start is not preceded by what it could continue. */
const personal: readonly { kind: string; pattern: RegExp }[] = [
  { kind: 'email', pattern: /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/g },
  // With a country code, with a bracketed or grouped area code, and the mobile numbers of China.
  { kind: 'phone', pattern: /(?<![\w+.])\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,6}(?![\w.]\d)/g },
  { kind: 'phone', pattern: /(?<![\w.+-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g },
  { kind: 'phone', pattern: /(?<![\w.+-])1[3-9]\d{9}(?![\w.-])/g },
];

/** The text with email addresses and phone numbers replaced by `[redacted:email]` and `[redacted:phone]`. Names and addresses stay. */
export function withoutPersonalData(text: string): string {
  return personal.reduce((rest, { kind, pattern }) => rest.replace(pattern, `[redacted:${kind}]`), text);
}

/** The run with every text cleaned. */
export function cleanRun(run: ExportRun, redact: Redactor, options: { personalData: boolean }): ExportRun {
  const text = (value: string): string => {
    const safe = redact.text(value);
    return options.personalData ? withoutPersonalData(safe) : safe;
  };
  const answer = (version: ExportAnswer): ExportAnswer => {
    const { verdict } = version;
    const feedback = verdict?.feedback;
    return {
      answer: text(version.answer),
      verdict: verdict && feedback !== undefined ? { ...verdict, feedback: text(feedback) } : verdict,
    };
  };
  const { task, conversation } = run;
  return {
    ...run,
    task: { ...task, input: text(task.input), constraints: task.constraints.map(text) },
    answer: run.answer === undefined ? undefined : text(run.answer),
    versions: run.versions.map(answer),
    conversation:
      conversation && cleanConversation(conversation, { text, json: (value) => deep(redact.json(value), text) }),
  };
}

interface Cleaner {
  text(value: string): string;
  json(value: unknown): unknown;
}

function cleanConversation({ messages, tools }: Conversation, clean: Cleaner): Conversation {
  return {
    messages: messages.map((message): ChatMessage => {
      const content = clean.text(message.content);
      if (message.role !== 'assistant') return { ...message, content };
      return { ...message, content, calls: message.calls.map((call) => ({ ...call, args: clean.json(call.args) })) };
    }),
    tools: tools.map((tool) => ({ ...tool, description: clean.text(tool.description) })),
  };
}

function deep(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => deep(item, text));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item, text)]));
}
