import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelTraits } from '../../capability.ts';
import { collectStream } from '../../collect.ts';
import { isLoopback } from '../../local-servers.ts';
import { ContextSizer, contextBounds } from './context-size.ts';
import { type ModelFacts, modelFacts, type OllamaServer, post } from './ollama-api.ts';
import { replyParts } from './reply.ts';
import { chatRequest } from './request.ts';

export interface OllamaOptions {
  modelId: string;
  /** Scheme, host and port. */
  origin: string;
  /** Sent as a bearer token. A server on this machine needs none. */
  apiKey?: string | undefined;
  /** Tokens of context, for every call. Default: the Modelfile's, else as many as the prompts need, up to 32,768. */
  contextTokens?: number | undefined;
  /** How long the model stays loaded after a call, in Ollama's terms (`30m`, `-1`). Default: the server's own. */
  keepAlive?: string | undefined;
  /** Hears of a context that is tight for a prompt, once. Default: a process warning. */
  onWarning?(warning: string): void;
}

/**
 * A model of an Ollama server over its own API, `/api/chat`: the OpenAI-compatible one ignores the size of the context and
 * cuts what is longer. A prompt that cannot fit is a `ContextTooSmallError` before anything is sent. A choice that forces a
 * call holds the reply to that call's schema. The server is asked once what the model can do; where it cannot say, a call
 * shows it.
 */
export async function ollamaModel(options: OllamaOptions): Promise<LanguageModelV4 & ModelTraits> {
  const server: OllamaServer = { origin: options.origin, apiKey: options.apiKey };
  const model: Running = {
    options,
    server,
    facts: await modelFacts(server, options.modelId),
    sizer: new ContextSizer(),
  };
  return {
    specificationVersion: 'v4',
    provider: 'ollama.chat',
    modelId: options.modelId,
    supportedUrls: {},
    source: 'provider',
    ...traitsFrom(model.facts, options),
    async doGenerate(call) {
      const { parts, warnings } = await chat(model, call);
      const generated = await collectStream(ReadableStream.from(parts), { stream: false }, call.abortSignal);
      return { ...generated, response: { ...generated.response, modelId: options.modelId }, warnings };
    },
    async doStream(call) {
      const { parts, warnings } = await chat(model, call);
      return { stream: ReadableStream.from(withStart(parts, warnings)) };
    },
  };
}

interface Running {
  options: OllamaOptions;
  server: OllamaServer;
  facts: ModelFacts | undefined;
  sizer: ContextSizer;
  told?: true;
}

function traitsFrom(facts: ModelFacts | undefined, { modelId, origin, contextTokens }: OllamaOptions): ModelTraits {
  const known = facts?.contextLength !== undefined || facts?.numCtx !== undefined || contextTokens !== undefined;
  return {
    forcesCalls: true,
    // A model of the cloud is asked through the server on this machine.
    local: isLoopback(origin) && !/[-:]cloud$/.test(modelId),
    ...(known && { contextTokens: contextBounds(contextTokens, facts).most }),
    ...(facts?.parameters !== undefined && { parameters: facts.parameters }),
    ...(facts?.capabilities && !facts.capabilities.includes('tools') && { textOnly: true }),
  };
}

type Warnings = ReturnType<typeof chatRequest>['warnings'];

async function chat(
  model: Running,
  call: LanguageModelV4CallOptions,
): Promise<{ parts: AsyncGenerator<LanguageModelV4StreamPart>; warnings: Warnings }> {
  const { options, server, sizer } = model;
  model.facts ??= await modelFacts(server, options.modelId);
  const { body, forced, warnings } = chatRequest(options.modelId, call, model.facts?.capabilities);
  const bytes = Buffer.byteLength(JSON.stringify([body['messages'], body['tools']]));
  const asked = { model: options.modelId, bytes, maxOutputTokens: call.maxOutputTokens };
  const { tokens, warning } = sizer.sizeFor(asked, contextBounds(options.contextTokens, model.facts));
  if (warning) warn(model, warning);
  const response = await post(server, '/api/chat', {
    body: {
      ...body,
      ...(options.keepAlive && {
        keep_alive: /^-?\d+$/.test(options.keepAlive) ? Number(options.keepAlive) : options.keepAlive,
      }),
      options: { ...Object(body['options']), num_ctx: tokens },
    },
    signal: call.abortSignal,
  });
  const stream = response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  const onCounted = ({ promptTokens }: { promptTokens: number }): void => sizer.learn(bytes, promptTokens);
  return {
    parts: replyParts(stream, { forced, onCounted }),
    warnings: warning ? [...warnings, { type: 'other', message: warning }] : warnings,
  };
}

function warn(model: Running, warning: string): void {
  if (model.told) return;
  model.told = true;
  const { onWarning = (text: string) => process.emitWarning(text, 'AssayWarning') } = model.options;
  onWarning(warning);
}

async function* withStart(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  warnings: Warnings,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings };
  yield* parts;
}
