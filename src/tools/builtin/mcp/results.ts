/** What a server answered to a call becomes text for an observation, whatever its shape. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { shortened } from './texts.ts';

/** Of a result's text; a binary part counts as its label. */
export const maxResultLength: number = 16 * 1024 * 1024;

const answered = z.object({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  /** As servers of 2024 answered. */
  toolResult: z.unknown().optional(),
});

/** The text, or the structured value when there is nothing else. Throws an Error for `isError`, a wrong shape and too much. */
export function readResult(result: unknown, server: string): unknown {
  const { success, data } = answered.safeParse(result);
  const structured = data?.structuredContent ?? data?.toolResult;
  if (!success || (data.content === undefined && structured === undefined)) {
    throw new Error(
      `the MCP server "${server}" answered with something that is no tool result: its author has to mend it`,
    );
  }
  const text = (data.content ?? []).map(blockText).join('\n');
  const json = structured === undefined ? '' : JSON.stringify(structured);
  if (text.length + json.length > maxResultLength) {
    throw new Error(
      `the result has ${text.length + json.length} characters, the limit is ${maxResultLength}: ask for less`,
    );
  }
  if (data.isError) throw new Error(text || json || 'the tool failed and gave no reason');
  if (json === '') return text;
  if (text === '' || saysTheSame(text, structured)) return structured;
  return `${text}\n\nStructured content: ${JSON.stringify(structured, undefined, 2)}`;
}

/** Servers repeat the structured value as text for older clients. */
function saysTheSame(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

const block = z.looseObject({ type: z.string() });
const textBlock = z.object({ text: z.string() });
const mediaBlock = z.object({ data: z.string(), mimeType: z.string() });
const linkBlock = z.object({ uri: z.string(), name: z.string().default(''), description: z.string().default('') });
const resourceBlock = z.object({
  resource: z.object({
    uri: z.string(),
    mimeType: z.string().default('no type'),
    text: z.string().optional(),
    blob: z.string().optional(),
  }),
});

function blockText(value: unknown): string {
  const type = block.safeParse(value).data?.type;
  switch (type) {
    case 'text':
      return textBlock.safeParse(value).data?.text ?? unreadable(type);
    case 'image':
    case 'audio': {
      const media = mediaBlock.safeParse(value).data;
      return media ? `[${type}, ${label(media.mimeType)}, ${byteLength(media.data)} bytes]` : unreadable(type);
    }
    case 'resource_link': {
      const link = linkBlock.safeParse(value).data;
      return link
        ? `[link ${[link.uri, link.name, link.description].filter(Boolean).map(label).join(', ')}]`
        : unreadable(type);
    }
    case 'resource':
      return resourceText(value);
    default:
      return unreadable(type ?? 'nameless');
  }
}

function resourceText(value: unknown): string {
  const resource = resourceBlock.safeParse(value).data?.resource;
  if (!resource) return unreadable('resource');
  const { uri, mimeType, text, blob } = resource;
  if (text !== undefined) return `[resource ${label(uri)}, ${label(mimeType)}]\n${text}`;
  return `[resource ${label(uri)}, ${label(mimeType)}, ${byteLength(blob ?? '')} bytes]`;
}

function unreadable(type: string): string {
  return `[a part of type ${label(type)} that cannot be read]`;
}

/** In one line and without brackets, so that a label ends where it seems to end. */
function label(text: string): string {
  return shortened(text.replace(/[\s[\]]+/g, ' ').trim(), 500);
}

/** Of what a base64 text stands for. */
function byteLength(base64: string): number {
  const digits = base64.replace(/[\s=]+/g, '').length;
  return Math.floor((digits * 3) / 4);
}
