/**
 * How the loop speaks with a model: native tool calling, or one JSON action a turn for models that only write text. A small model is held
 * to one call a turn: a forced native call where the adapter enforces it while it is written, which is the form the model was trained on;
 * else a JSON action by a schema of the very tools. The loop, its guards and its state are the same for all.
 */
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import * as z from 'zod';
import { Final } from '../../core/attempt.ts';
import { userMessage } from '../../core/transcript.ts';
import type { TurnState } from '../../core/turn.ts';
import { isTextOnly } from '../../model/capability.ts';
import type { ModelRequest } from '../../model/model.ts';
import { shortSpec, toolLine } from '../../tools/short-spec.ts';
import { jsonSchemaOf, toolSpec } from '../../tools/tool.ts';
import type { Run } from '../solver.ts';
import { controlSpecs, finalName } from './control.ts';
import { actorRules, smallActorRules } from './prompts.ts';
import { smallFormats, smallToolExample } from './small-actions.ts';

/** A result on its way back to the model. */
export interface CallResult {
  callId: string;
  tool: string;
  text: string;
  failed: boolean;
}

export interface Protocol {
  readonly name: 'native' | 'json-action' | 'forced-call' | 'schema-action';
  /** Tools are told of in the text, and what the model does is written as text. */
  readonly textual: boolean;
  /** Of several calls in a reply the first runs. */
  readonly oneCall: boolean;
  system(tools: readonly LanguageModelV4FunctionTool[]): string;
  request(
    /** As `specsOf` gives them. */
    tools: LanguageModelV4FunctionTool[],
    last: boolean,
  ): Pick<ModelRequest, 'tools' | 'toolChoice' | 'responseFormat'>;
  results(results: readonly CallResult[]): LanguageModelV4Message;
}

/** One action of the text protocol. */
export type Action =
  | { type: 'tool'; tool: string; args: Record<string, z.core.util.JSONType>; reason?: string | undefined }
  | ({ type: 'final' } & Final);

const FinalAction = z.object({ type: z.literal('final') }).and(Final) as z.ZodType<Extract<Action, { type: 'final' }>>;

/** Validates one action of the text protocol. */
export const Action: z.ZodType<Action> = z.union([
  z.object({
    type: z.literal('tool'),
    tool: z.string().min(1),
    args: z.record(z.string(), z.json()).default({}),
    reason: z.string().optional(),
  }),
  FinalAction,
]);

const native: Protocol = {
  name: 'native',
  textual: false,
  oneCall: false,
  system: () => actorRules,
  request: (tools, last) => ({ tools, toolChoice: last ? { type: 'tool', toolName: finalName } : { type: 'auto' } }),
  results: (results) => ({
    role: 'tool',
    content: results.map(({ callId, tool, text, failed }) => ({
      type: 'tool-result',
      toolCallId: callId,
      toolName: tool,
      output: { type: failed ? 'error-text' : 'text', value: text },
    })),
  }),
};

const forcedCall: Protocol = {
  ...native,
  name: 'forced-call',
  oneCall: true,
  system: () => smallActorRules,
  request: (tools, last) => ({
    tools,
    toolChoice: last ? { type: 'tool', toolName: finalName } : { type: 'required' },
  }),
};

type JsonFormat = Extract<NonNullable<ModelRequest['responseFormat']>, { type: 'json' }>;

/** Made once, when a text-only model is first asked. */
let formats: { action: JsonFormat; final: JsonFormat } | undefined;

function actionFormats(): NonNullable<typeof formats> {
  formats ??= {
    action: { type: 'json', name: 'action', schema: jsonSchemaOf(Action) },
    final: { type: 'json', name: 'final', schema: jsonSchemaOf(FinalAction) },
  };
  return formats;
}

const toolExample = '{"type":"tool","tool":"NAME","args":{},"reason":"one short line"}';
const finalExample =
  '{"type":"final","answer":"TEXT","claims":[{"text":"TEXT","evidence":[{"observation":"obs-1","quote":"TEXT"}]}]}';

const jsonAction: Protocol = {
  name: 'json-action',
  textual: true,
  oneCall: false,
  system: (tools) => {
    const catalogue = tools
      .filter((tool) => tool.name !== finalName)
      .map((tool) => `- ${tool.name}: ${tool.description ?? ''} Arguments: ${JSON.stringify(tool.inputSchema)}`);
    return [
      actorRules,
      'Every reply is exactly one JSON object, either a tool call',
      toolExample,
      'or the end of the task',
      finalExample,
      'Tools:',
      ...catalogue,
    ].join('\n');
  },
  request: (_tools, last) => ({ responseFormat: last ? actionFormats().final : actionFormats().action }),
  results: (results) => userMessage(results.map((result) => `Result of ${result.tool}:\n${result.text}`).join('\n\n')),
};

const schemaAction: Protocol = {
  ...jsonAction,
  name: 'schema-action',
  oneCall: true,
  system: (tools) =>
    [
      smallActorRules,
      'Reply with one JSON object and nothing else, either a call',
      smallToolExample,
      'or the end',
      finalExample,
      'Tools:',
      ...tools.filter((tool) => tool.name !== finalName).map(toolLine),
    ].join('\n'),
  request: (tools, last) => {
    const { action, final } = smallFormats(tools);
    return { responseFormat: last ? final : action };
  },
};

/** The protocol that fits the acting model. */
export function protocolOf(run: Run): Protocol {
  const size = run.sizeOf?.('actor');
  if (size?.small) return size.forcesCalls ? forcedCall : schemaAction;
  return isTextOnly(run.model('actor')) ? jsonAction : native;
}

const specLists = new WeakMap<Run['tools'], Map<string, LanguageModelV4FunctionTool[]>>();

/** Tools and control actions as the model is told of them: the same array each turn, so that adapters can cache by identity. */
export function specsOf(run: Run, state: Pick<TurnState, 'plan'>): LanguageModelV4FunctionTool[] {
  const planned = state.plan !== undefined;
  const small = run.sizeOf?.('actor')?.small ?? false;
  const lists = specLists.get(run.tools) ?? new Map<string, LanguageModelV4FunctionTool[]>();
  specLists.set(run.tools, lists);
  const kind = `${planned} ${small}`;
  const known = lists.get(kind);
  if (known) return known;
  const full = [...[...run.tools.values()].map(toolSpec), ...controlSpecs({ planned, small })];
  const made = small ? full.map(shortSpec) : full;
  lists.set(kind, made);
  return made;
}
