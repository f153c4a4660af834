/** What a simulated model takes from a prompt: who it is, which task this is, what it did, and how often it was told of a fault. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { canonicalJson } from '../../core/json.ts';
import { messageText } from '../../model/prompt-text.ts';
import type { GeneratedTask, NeededCall } from './generated-task.ts';

/** An observation as the prompt shows it. */
export interface ShownObservation {
  id: string;
  text: string;
}

export interface Conversation {
  task: GeneratedTask;
  text: string;
  /** The members of the JSON value that is asked for; none where tools are offered. */
  wanted: ReadonlySet<string>;
  /** `final` has to be called now. */
  forced: boolean;
  /** Replies that were sent back, whoever found fault with them. */
  reports: number;
  /** Keys of the calls made so far. */
  called: ReadonlySet<string>;
  observations: ShownObservation[];
  /** Tools are offered, or what they returned is shown. */
  aided: boolean;
  planned: boolean;
  /** Lessons and reflections, each on its line. */
  notes: string[];
  /** Which sample of the same prompt this is, from 0; 0 where nothing is sampled. */
  sample: number;
}

/** Reads a prompt; `taskOf` finds a task by the line that states it, as the task or as a question about it. */
export function readConversation(
  options: LanguageModelV4CallOptions,
  taskOf: (input: string) => GeneratedTask | undefined,
  sample = 0,
): Conversation {
  const { prompt, responseFormat, toolChoice, tools = [] } = options;
  const said = prompt.filter((message) => message.role !== 'system');
  const text = said.map(messageText).join('\n');
  const stated = [...text.matchAll(/^(?:Task|Question): (.*)$/gm)].map((match) => match[1] ?? '');
  const task = stated.map(taskOf).find((known) => known !== undefined);
  if (!task)
    throw new RangeError(`the simulated model knows no task "${stated[0] ?? ''}": give it the tasks that are run`);
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined;
  const observations = observationsIn(text);
  return {
    task,
    text,
    wanted: new Set(Object.keys(schema?.properties ?? {})),
    forced: toolChoice?.type === 'tool',
    reports: reportsIn(said, text),
    called: new Set(said.flatMap(callsOf)),
    observations,
    aided: tools.length > 0 || observations.length > 0,
    planned: /^Plan for: /m.test(text),
    notes: text.match(/^Note \((?:lesson|reflection)\): .*$/gm) ?? [],
    sample,
  };
}

/** A call so that two of them can be compared. */
export function keyOf({ tool, args }: NeededCall): string {
  return `${tool} ${canonicalJson(args)}`;
}

function callsOf(message: LanguageModelV4Message): string[] {
  if (message.role !== 'assistant') return [];
  return message.content.flatMap((part) =>
    part.type === 'tool-call' ? [`${part.toolName} ${canonicalJson(part.input)}`] : [],
  );
}

/** Refused calls, messages after the first, and drafts that are listed for a rewrite. */
function reportsIn(said: readonly LanguageModelV4Message[], text: string): number {
  const refused = said.flatMap((message) =>
    message.role === 'tool'
      ? message.content.filter((part) => part.type === 'tool-result' && part.output.type === 'error-text')
      : [],
  );
  const asked = said.filter((message) => message.role === 'user').length;
  const versions = text.match(/^Version \d+:$/gm)?.length ?? 0;
  return refused.length + asked - 1 + versions;
}

/** What stands in a fence after the label of an observation that holds a result. */
function observationsIn(text: string): ShownObservation[] {
  return [...text.matchAll(/^\[(obs-\d+)\] \S+ ok.*\n<data[^\n]*\n([\s\S]*?)\n<\/data/gm)].map((match) => ({
    id: match[1] ?? '',
    text: match[2] ?? '',
  }));
}
