/**
 * A request as node-llama-cpp can take it.
 *
 * 1. The prompt tells of every tool, whichever may be called now: a forced or chosen tool changes no byte of it, so what was read of the
 *    steps before is still there.
 * 2. One call a turn.
 * 3. Tools and JSON together: the answer is a function as well, and one of them has to be called.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, SharedV4Warning } from '@ai-sdk/provider';
import type { ChatHistoryItem } from 'node-llama-cpp';
import type { JsonSchema } from '../../core/json.ts';
import { chatHistory } from './chat-history.ts';
import { llamaSchema } from './llama-schema.ts';

/** A function as the prompt tells of it and the grammar asks for it. */
export interface PlannedFunction {
  description?: string;
  /** Absent for a function without parameters. */
  params?: JsonSchema;
}

export interface RequestPlan {
  history: ChatHistoryItem[];
  /** Told of in the prompt. */
  functions: Record<string, PlannedFunction>;
  /** Those of them that may be called; without any, the model writes text. */
  callable: string[];
  /** A call has to come, and no text before it. */
  mustCall: boolean;
  /** The function whose parameters are the answer. */
  answerFunction: string | undefined;
  /** What the text has to be: `true` is any JSON. */
  grammar: JsonSchema | true | undefined;
  /** The caller's schemas, of each function and of the answer as text. */
  schemas: ReadonlyMap<string, JsonSchema>;
  answerSchema: JsonSchema | undefined;
  /** The text cannot be shown before it is whole, since nulls have to be taken out of it. */
  hasOptional: boolean;
  warnings: SharedV4Warning[];
}

export function planRequest(options: LanguageModelV4CallOptions): RequestPlan {
  const warnings: SharedV4Warning[] = [];
  const choice = options.toolChoice ?? { type: 'auto' };
  const tools = choice.type === 'none' ? [] : functionTools(options.tools ?? [], warnings);
  const schemas = new Map<string, JsonSchema>();
  const functions: Record<string, PlannedFunction> = {};
  const add = (name: string, description: string | undefined, schema: JsonSchema): boolean => {
    const { schema: params, notEnforced, hasOptional } = llamaSchema(schema);
    warnings.push(...notEnforced.map((keyword) => looser(name, keyword)));
    schemas.set(name, schema);
    functions[name] = {
      ...(description !== undefined && { description }),
      ...(!isEmpty(params) && { params }),
    };
    return hasOptional;
  };
  for (const { name, description, inputSchema } of tools) add(name, description, asJson(inputSchema));
  const callable = tools.map(({ name }) => name).filter((name) => choice.type !== 'tool' || choice.toolName === name);
  const plan: RequestPlan = {
    history: [],
    functions,
    callable,
    mustCall: callable.length > 0 && (choice.type === 'required' || choice.type === 'tool'),
    answerFunction: undefined,
    grammar: undefined,
    schemas,
    answerSchema: undefined,
    hasOptional: false,
    warnings,
  };
  const format = options.responseFormat;
  const instruction = format?.type === 'json' ? askForJson(plan, format, add) : '';
  const history = chatHistory(options.prompt, instruction);
  warnings.push(...history.warnings);
  return { ...plan, history: history.items };
}

type JsonFormat = Extract<LanguageModelV4CallOptions['responseFormat'], { type: 'json' }>;

/** Holds the reply to JSON and gives what has to be said of it in the prompt. A call that has to come anyway is no answer. */
function askForJson(
  plan: RequestPlan,
  { schema: given, description }: JsonFormat,
  add: (name: string, description: string, schema: JsonSchema) => boolean,
): string {
  const schema = given === undefined ? undefined : asJson(given);
  if (plan.callable.length === 0) return answerAsText(plan, schema);
  if (plan.mustCall) return '';
  plan.answerFunction = freeName('final_answer', plan.functions);
  const answerSchema: JsonSchema = schema ?? { type: 'object', additionalProperties: true };
  plan.answerSchema = answerSchema;
  plan.hasOptional = add(plan.answerFunction, description ?? 'Gives the final answer to the user.', answerSchema);
  plan.callable.push(plan.answerFunction);
  plan.mustCall = true;
  return '';
}

function answerAsText(plan: RequestPlan, schema: JsonSchema | undefined): string {
  if (!schema) {
    plan.grammar = true;
    return 'Answer with a JSON value and nothing else.';
  }
  const { schema: grammar, notEnforced, hasOptional } = llamaSchema(schema);
  plan.grammar = grammar;
  plan.answerSchema = schema;
  plan.hasOptional = hasOptional;
  plan.warnings.push(...notEnforced.map((keyword) => looser('the answer', keyword)));
  return `Answer with JSON that matches this JSON schema:\n${JSON.stringify(schema)}`;
}

function functionTools(
  tools: NonNullable<LanguageModelV4CallOptions['tools']>,
  warnings: SharedV4Warning[],
): LanguageModelV4FunctionTool[] {
  for (const tool of tools) {
    if (tool.type === 'provider')
      warnings.push({ type: 'unsupported', feature: `the provider-defined tool ${tool.id}` });
  }
  return tools.filter((tool) => tool.type === 'function');
}

function looser(where: string, keyword: string): SharedV4Warning {
  return {
    type: 'compatibility',
    feature: `JSON schema: ${keyword}`,
    details: `The grammar of ${where} does not hold the model to it; the reply has to be validated.`,
  };
}

function isEmpty({ type, properties, additionalProperties }: JsonSchema): boolean {
  return type === 'object' && !additionalProperties && Object.keys(Object(properties)).length === 0;
}

function freeName(wanted: string, taken: object): string {
  for (let use = 1, name = wanted; ; name = `${wanted}_${++use}`) if (!(name in taken)) return name;
}

/** A JSON Schema is plain JSON, which is all that is read of it here. */
function asJson(schema: LanguageModelV4FunctionTool['inputSchema']): JsonSchema {
  return schema as JsonSchema;
}
