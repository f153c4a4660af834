import { hash } from 'node:crypto';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import * as z from 'zod';
import { UsageError } from '../core/errors.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import type { ModelTraits } from './capability.ts';

/** What makes two requests the same, as plain JSON. */
export interface RequestContent {
  prompt: { role: string; content: Json }[];
  tools?: Json | undefined;
  toolChoice?: Json | undefined;
  responseFormat?: Json | undefined;
  temperature?: number | undefined;
}

/** The model that spoke. `size` says how it is to be asked, so that an agent with the replayed model makes the same prompts. */
export interface RecordedModel {
  provider: string;
  modelId: string;
  textOnly?: boolean | undefined;
  size?: SizeTraits | undefined;
}

export type SizeTraits = Pick<ModelTraits, 'small' | 'contextTokens' | 'parameters' | 'forcesCalls'>;

/** One line of a recording: a finished reply, from `doGenerate` (`result`) or `doStream` (`parts`). */
export interface Recording {
  line: number;
  model: RecordedModel;
  request: RequestContent;
  result?: Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'response'> | undefined;
  parts?: LanguageModelV4StreamPart[] | undefined;
}

const RequestContent: z.ZodType<RequestContent> = z.object({
  prompt: z.array(z.looseObject({ role: z.string(), content: z.json() })),
  tools: z.json().optional(),
  toolChoice: z.json().optional(),
  responseFormat: z.json().optional(),
  temperature: z.number().optional(),
});

const Timestamp = z
  .string()
  .optional()
  .transform((text) => text && new Date(text));
const Result = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  finishReason: z.looseObject({ unified: z.string() }),
  usage: z.looseObject({ inputTokens: z.looseObject({}), outputTokens: z.looseObject({}) }),
  response: z.looseObject({ timestamp: Timestamp }).optional(),
});
const Part = z.union([
  z.looseObject({ type: z.literal('response-metadata'), timestamp: Timestamp }),
  z.looseObject({ type: z.string() }),
]);
const Line = z
  .object({
    model: z.object({
      provider: z.string(),
      modelId: z.string(),
      textOnly: z.boolean().optional(),
      size: z
        .object({
          small: z.boolean().optional(),
          contextTokens: z.number().optional(),
          parameters: z.number().optional(),
          forcesCalls: z.literal(true).optional(),
        })
        .optional(),
    }),
    request: RequestContent,
    result: Result.optional(),
    parts: z.array(Part).optional(),
  })
  .refine((line) => line.result || line.parts, 'it has neither "result" nor "parts"');

/** The content of a call as plain JSON; bytes become base64. */
export function requestContent(call: LanguageModelV4CallOptions): RequestContent {
  const { prompt, tools, toolChoice, responseFormat, temperature } = call;
  const text = JSON.stringify({ prompt, tools, toolChoice, responseFormat, temperature }, (_key, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
  // JSON of values of the specification's types, of which RequestContent is the outline.
  return JSON.parse(text) as RequestContent;
}

/** A hash of the request; key order does not matter. */
export function requestKey(request: RequestContent, normalise: (text: string) => string = (text) => text): string {
  return hash('sha256', normalise(canonicalJson(request)), 'base64url');
}

/** The lines of a recording. Throws `UsageError` that names the first corrupt line; a torn last line is left out. */
export function readRecording(text: string, file: string): Recording[] {
  const lines = text.split('\n');
  const torn = lines.pop();
  const recordings = lines.flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1, file)]));
  if (!torn?.trim()) return recordings;
  // A file edited by hand may end without a line break, and a whole line is a line.
  const last = Line.safeParse(parsed(torn));
  return last.success ? [...recordings, readLine(torn, lines.length + 1, file)] : recordings;
}

function readLine(text: string, line: number, file: string): Recording {
  const value = parsed(text);
  if (value === undefined) throw corrupt(file, line, 'it is not JSON');
  const fitted = Line.safeParse(value);
  if (!fitted.success) throw corrupt(file, line, z.prettifyError(fitted.error));
  // The schema checks the outline; the parts themselves were written from values of these very types.
  return { line, ...fitted.data } as Recording;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function corrupt(file: string, line: number, why: string): UsageError {
  return new UsageError(`line ${line} of the recording ${file} is corrupt: ${why}. Delete the line, or record again`);
}
