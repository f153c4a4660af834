import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
} from '@ai-sdk/provider';

type MessageOf<Role extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: Role }>;
type V3Part<Role extends LanguageModelV3Message['role']> = Extract<
  LanguageModelV3Message,
  { role: Role }
>['content'][number];

/** A V3 model as a V4 one. The two differ in files, and in parts that V3 does not know, which are left out. */
export function fromV3(model: LanguageModelV3): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(call) {
      const result = await model.doGenerate(callForV3(call));
      return { ...result, content: result.content.flatMap(contentFromV3) };
    },
    async doStream(call) {
      const opened = await model.doStream(callForV3(call));
      return { ...opened, stream: opened.stream.pipeThrough(mapParts(partFromV3)) };
    },
  };
}

/** The call in the shape of V3; `reasoning` (the effort) did not exist there. */
export function callForV3({ reasoning: _, ...call }: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  return { ...call, prompt: call.prompt.map(messageForV3) };
}

/** A stream in which every part is replaced by none, one or many. */
export function mapParts<From, To>(map: (part: From) => To[]): TransformStream<From, To> {
  return new TransformStream({
    transform(part, controller) {
      for (const mapped of map(part)) controller.enqueue(mapped);
    },
  });
}

function contentFromV3(part: LanguageModelV3Content): LanguageModelV4Content[] {
  return part.type === 'file' ? [] : [part];
}

function partFromV3(part: LanguageModelV3StreamPart): LanguageModelV4StreamPart[] {
  return part.type === 'file' ? [] : [part];
}

function messageForV3(message: LanguageModelV4Message): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { ...message, content: message.content.flatMap(userPart) };
    case 'assistant':
      return { ...message, content: message.content.flatMap(assistantPart) };
    case 'tool':
      return {
        ...message,
        content: message.content.map((part) => (part.type === 'tool-result' ? resultPart(part) : part)),
      };
  }
}

function userPart(part: MessageOf<'user'>['content'][number]): V3Part<'user'>[] {
  if (part.type !== 'file') return [part];
  const data = plainData(part.data);
  return data === undefined ? [] : [{ ...part, data }];
}

function assistantPart(part: MessageOf<'assistant'>['content'][number]): V3Part<'assistant'>[] {
  switch (part.type) {
    case 'custom':
    case 'reasoning-file':
      return [];
    case 'tool-result':
      return [resultPart(part)];
    case 'file':
      return userPart(part);
    default:
      return [part];
  }
}

function plainData(data: SharedV4FileData): Uint8Array | string | URL | undefined {
  switch (data.type) {
    case 'data':
      return data.data;
    case 'url':
      return data.url;
    case 'text':
      return new TextEncoder().encode(data.text);
    case 'reference':
      return undefined;
  }
}

function resultPart(part: LanguageModelV4ToolResultPart): LanguageModelV3ToolResultPart {
  return { ...part, output: outputForV3(part.output) };
}

function outputForV3(output: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput {
  if (output.type !== 'content') return output;
  return { type: 'content', value: output.value.flatMap(itemForV3) };
}

type V4Item = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number];
type V3Item = Extract<LanguageModelV3ToolResultOutput, { type: 'content' }>['value'][number];

function itemForV3(item: V4Item): V3Item[] {
  if (item.type !== 'file') return [item];
  const data = plainData(item.data);
  if (data === undefined) return [];
  if (data instanceof URL) return [{ type: 'file-url', url: data.href }];
  const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  return [{ type: 'file-data', data: base64, mediaType: item.mediaType }];
}
