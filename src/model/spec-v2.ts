import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  LanguageModelV2ToolResultOutput,
  LanguageModelV2Usage,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV3ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { callForV3, mapParts } from './spec-v3.ts';

/** A V2 model as a V4 one: flat usage, finish reasons as strings, and older tool results. Files are left out. */
export function fromV2(model: LanguageModelV2): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(call) {
      const result = await model.doGenerate(callForV2(callForV3(call)));
      return {
        content: result.content.flatMap(contentFromV2),
        finishReason: finishFromV2(result.finishReason),
        usage: usageFromV2(result.usage),
        warnings: result.warnings.map(warningFromV2),
        ...(result.response && { response: result.response }),
      };
    },
    async doStream(call) {
      const opened = await model.doStream(callForV2(callForV3(call)));
      return { stream: opened.stream.pipeThrough(mapParts(partFromV2)) };
    },
  };
}

function callForV2(call: LanguageModelV3CallOptions): LanguageModelV2CallOptions {
  const { prompt, tools, ...rest } = call;
  const offered = tools?.map((tool) => (tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool));
  // What is not converted here differs in types only: V2 had no `undefined` in provider options.
  return {
    ...rest,
    prompt: prompt.map(messageForV2),
    ...(offered && { tools: offered }),
  } as LanguageModelV2CallOptions;
}

function messageForV2(message: LanguageModelV3Message): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'assistant':
      return {
        ...message,
        content: message.content.map((part) => (part.type === 'tool-result' ? resultForV2(part) : part)),
      };
    case 'tool':
      return { ...message, content: message.content.filter((part) => part.type === 'tool-result').map(resultForV2) };
  }
}

function resultForV2(part: LanguageModelV3ToolResultPart): object {
  return { ...part, output: outputForV2(part.output) };
}

function outputForV2(output: LanguageModelV3ToolResultOutput): LanguageModelV2ToolResultOutput {
  if (output.type === 'execution-denied') return { type: 'error-text', value: output.reason ?? 'The call was denied.' };
  if (output.type !== 'content') return output;
  return { type: 'content', value: output.value.flatMap(itemForV2) };
}

type V3Item = Extract<LanguageModelV3ToolResultOutput, { type: 'content' }>['value'][number];
type V2Item = Extract<LanguageModelV2ToolResultOutput, { type: 'content' }>['value'][number];

function itemForV2(item: V3Item): V2Item[] {
  if (item.type === 'text') return [{ type: 'text', text: item.text }];
  return item.type === 'file-data' ? [{ type: 'media', data: item.data, mediaType: item.mediaType }] : [];
}

type SharedPart = Extract<
  LanguageModelV4Content,
  { type: 'text' | 'reasoning' | 'source' | 'tool-call' | 'tool-result' }
>;

function contentFromV2(part: LanguageModelV2Content): SharedPart[] {
  if (part.type === 'file') return [];
  const { providerMetadata, ...rest } = part;
  const metadata = providerMetadata && { providerMetadata: metadataFromV2(providerMetadata) };
  if (rest.type !== 'tool-result') return [{ ...rest, ...metadata }];
  // V2 types the result as unknown; it came out of JSON, where only null is not allowed by V4.
  const result = (rest.result ?? '') as Extract<SharedPart, { type: 'tool-result' }>['result'];
  return [{ ...rest, result, ...metadata }];
}

function partFromV2(part: LanguageModelV2StreamPart): LanguageModelV4StreamPart[] {
  switch (part.type) {
    case 'file':
    case 'source':
    case 'tool-call':
    case 'tool-result':
      return contentFromV2(part).filter((content) => content.type !== 'text' && content.type !== 'reasoning');
    case 'stream-start':
      return [{ type: part.type, warnings: part.warnings.map(warningFromV2) }];
    case 'finish':
      return [{ type: part.type, usage: usageFromV2(part.usage), finishReason: finishFromV2(part.finishReason) }];
    case 'response-metadata':
    case 'raw':
    case 'error':
      return [part];
    default: {
      const { providerMetadata, ...rest } = part;
      return [{ ...rest, ...(providerMetadata && { providerMetadata: metadataFromV2(providerMetadata) }) }];
    }
  }
}

/** Provider metadata is JSON in every version; V2 only lacked the type for it, and `undefined` is no JSON. */
function metadataFromV2(metadata: Record<string, Record<string, unknown>>): SharedV3ProviderMetadata {
  return JSON.parse(JSON.stringify(metadata));
}

/** `unknown` is what V2 packages begin with and keep when the stream ends without a reason. */
function finishFromV2(reason: LanguageModelV2FinishReason): LanguageModelV4FinishReason {
  return reason === 'unknown' ? { unified: 'other', raw: undefined } : { unified: reason, raw: reason };
}

function usageFromV2(usage: LanguageModelV2Usage): LanguageModelV4Usage {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    inputTokens: {
      total: inputTokens,
      noCache: difference(inputTokens, cachedInputTokens),
      cacheRead: cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: outputTokens,
      text: difference(outputTokens, reasoningTokens),
      reasoning: reasoningTokens,
    },
  };
}

function difference(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined ? undefined : Math.max(0, whole - part);
}

function warningFromV2(warning: LanguageModelV2CallWarning): SharedV4Warning {
  if (warning.type === 'other') return warning;
  const feature = warning.type === 'unsupported-tool' ? warning.tool.name : String(warning.setting);
  return { type: 'unsupported', feature, ...(warning.details !== undefined && { details: warning.details }) };
}
