import { APICallError } from '@ai-sdk/provider';
import * as z from 'zod';
import { patientFetch } from '../patient-fetch.ts';

/** Where an Ollama listens. */
export interface OllamaServer {
  /** Scheme, host and port. */
  origin: string;
  apiKey: string | undefined;
}

/** One line of an answer of `/api/chat`. */
export interface ChatChunk {
  message?:
    | {
        content?: string | null | undefined;
        thinking?: string | null | undefined;
        tool_calls?: ToolCall[] | null | undefined;
      }
    | undefined;
  done?: boolean | undefined;
  done_reason?: string | null | undefined;
  prompt_eval_count?: number | null | undefined;
  eval_count?: number | null | undefined;
  error?: string | undefined;
}

export interface ToolCall {
  id?: string | null | undefined;
  function: { name: string; arguments?: unknown };
}

const ToolCall = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.unknown().optional() }),
});

export const ChatChunk: z.ZodType<ChatChunk> = z.object({
  message: z
    .object({ content: z.string().nullish(), thinking: z.string().nullish(), tool_calls: z.array(ToolCall).nullish() })
    .optional(),
  done: z.boolean().optional(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.number().nullish(),
  eval_count: z.number().nullish(),
  error: z.string().optional(),
});

/** What `/api/show` tells of a model, as far as calls depend on it. */
export interface ModelFacts {
  /** `completion`, `tools`, `thinking`, `vision`, … */
  capabilities: readonly string[] | undefined;
  /** Tokens the model was made for. */
  contextLength: number | undefined;
  /** `num_ctx` of its Modelfile. */
  numCtx: number | undefined;
  parameters: number | undefined;
}

const Shown = z.object({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
  parameters: z.string().optional(),
});

const showTimeoutMs = 1_500;

/** What the server knows of a model; undefined when it cannot say: it is down, old, or has no such model. */
export async function modelFacts(server: OllamaServer, model: string): Promise<ModelFacts | undefined> {
  try {
    const response = await post(server, '/api/show', { body: { model }, signal: AbortSignal.timeout(showTimeoutMs) });
    const { capabilities, model_info: info = {}, parameters = '' } = Shown.parse(await response.json());
    const contextLength = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
    const count = info['general.parameter_count'];
    const numCtx = /^num_ctx\s+(\d+)/m.exec(parameters)?.[1];
    return {
      capabilities,
      contextLength: typeof contextLength === 'number' ? contextLength : undefined,
      numCtx: numCtx === undefined ? undefined : Number(numCtx),
      parameters: typeof count === 'number' ? count : undefined,
    };
  } catch {
    return undefined;
  }
}

/** The answer to a request; a status that is no success is an `APICallError` in the words of the server. */
export async function post(
  server: OllamaServer,
  path: string,
  { body, signal, headers }: { body: object; signal?: AbortSignal | undefined; headers?: Record<string, string> },
): Promise<Response> {
  const url = `${server.origin}${path}`;
  const response = await patientFetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(server.apiKey && { authorization: `Bearer ${server.apiKey}` }),
      ...headers,
    },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
  if (response.ok) return response;
  const responseBody = await response.text();
  throw new APICallError({
    message: responseBody || response.statusText,
    url,
    requestBodyValues: body,
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  });
}
