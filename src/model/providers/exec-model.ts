import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider';
import * as z from 'zod';
import type { ModelTraits } from '../capability.ts';
import { systemText } from '../prompt-text.ts';
import { finishedBy, partsOf, type Reply, streamOf, usageFrom } from '../reply-parts.ts';
import { runCommand } from './run-command.ts';
import { splitCommand } from './split-command.ts';

export interface ExecModelOptions {
  /** Default 120,000. */
  timeoutMs?: number;
  cwd?: string;
  /** The whole environment of the command; by default it inherits ours. */
  env?: NodeJS.ProcessEnv;
  /** The command reads `tools` and answers with `toolCalls`; by default it is a text-only model. */
  toolCalling?: boolean;
}

const maxOutputBytes = 8 * 1024 * 1024;

/** A reply with more than text. A JSON object with any other key is the text of the reply itself. */
const ReplyObject = z.strictObject({
  text: z.string().optional(),
  toolCalls: z
    .array(z.strictObject({ name: z.string().min(1), input: z.json(), id: z.string().optional() }))
    .optional(),
  usage: z.object({ inputTokens: z.number().nonnegative(), outputTokens: z.number().nonnegative() }).optional(),
  finishReason: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']).optional(),
});

const replyKeys: ReadonlySet<string> = new Set(Object.keys(ReplyObject.shape));

/**
 * An external command as a model: one process per call, request JSON on its input
 * `{system, prompt, tools, toolChoice, responseFormat, temperature}`, the reply on its output, as plain text or as
 * `{text?, toolCalls?: [{name, input}], usage?: {inputTokens, outputTokens}, finishReason?}`. The line is split like a shell
 * would, without a shell. Throws `UsageError` for a line that names no program; calls reject as `runCommand` says.
 */
export function execModel(command: string, options: ExecModelOptions = {}): LanguageModelV4 & ModelTraits {
  const [program, ...args] = splitCommand(command);
  const reply = async (call: LanguageModelV4CallOptions): Promise<Reply> => {
    const output = await runCommand({
      program,
      args,
      input: requestText(call),
      timeoutMs: options.timeoutMs ?? 120_000,
      maxOutputBytes,
      cwd: options.cwd,
      env: options.env,
      signal: call.abortSignal,
    });
    return readReply(output, { program, turn: call.prompt.length });
  };
  return {
    specificationVersion: 'v4',
    provider: 'exec',
    modelId: command,
    supportedUrls: {},
    source: 'command',
    ...(options.toolCalling !== true && { textOnly: true }),
    doGenerate: async (call) => ({ ...(await reply(call)), warnings: [] }),
    doStream: async (call) => ({ stream: streamOf(partsOf(await reply(call))) }),
  };
}

function requestText({ prompt, tools, toolChoice, responseFormat, temperature }: LanguageModelV4CallOptions): string {
  const messages = prompt.filter((message) => message.role !== 'system');
  return JSON.stringify({
    system: systemText(prompt),
    prompt: messages,
    tools,
    toolChoice,
    responseFormat,
    temperature,
  });
}

function readReply(output: string, { program, turn }: { program: string; turn: number }): Reply {
  const text = output.trim();
  if (text === '')
    throw new Error(`${program} wrote no reply: it has to write text or a JSON object to its standard output`);
  const object = replyObject(text);
  if (!object)
    return { content: [{ type: 'text', text }], finishReason: finishedBy('stop'), usage: usageFrom(undefined) };
  const parsed = ReplyObject.safeParse(object);
  if (!parsed.success) {
    throw new Error(`${program} wrote a reply object that is not as it should be:\n${z.prettifyError(parsed.error)}`);
  }
  const { toolCalls = [], usage, finishReason } = parsed.data;
  const said: LanguageModelV4Content[] = parsed.data.text ? [{ type: 'text', text: parsed.data.text }] : [];
  const calls = toolCalls.map(
    ({ id, name, input }, index): LanguageModelV4Content => ({
      type: 'tool-call',
      toolCallId: id ?? `call-${turn}-${index}`,
      toolName: name,
      input: JSON.stringify(input),
    }),
  );
  return {
    content: [...said, ...calls],
    finishReason: finishedBy(finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop')),
    usage: usageFrom(usage),
  };
}

/** The JSON object the text is, if all its keys are those of a reply object. */
function replyObject(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => replyKeys.has(key)) ? value : undefined;
}
