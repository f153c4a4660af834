/** How a model is told what shape its answer has to have, and how it is held to it. */
import type * as z from 'zod';
import type { Transcript } from '../core/transcript.ts';
import { seal } from '../core/transcript.ts';
import { shapeText, shortSchema } from '../tools/short-spec.ts';
import { jsonSchemaOf } from '../tools/tool.ts';
import { cautiousTokens, longestSmallReply } from './context-tokens.ts';
import type { ModelRequest } from './model.ts';
import type { ModelSize } from './model-size.ts';

/** What the shape adds to a request. */
export interface QuestionForm {
  /** The last lines of the system text. */
  line: string;
  request: Pick<ModelRequest, 'responseFormat' | 'tools' | 'toolChoice'>;
}

const schemas = new WeakMap<z.ZodType, ReturnType<typeof jsonSchemaOf>>();

/** Our own schemas are named to this depth: claims in answers in lists. */
const deepestNamed = 4;

/** A reply shorter than this holds no answer. */
const leastReply = 128;

/**
 * A small model is told the shape in one line instead of a JSON Schema. Where its adapter enforces forced calls, it answers by one: the
 * adapter tells of it in the form the model was trained on, and would write out a schema for text.
 */
export function questionForm(schema: z.ZodType, step: string, size: ModelSize | undefined): QuestionForm {
  const made = schemas.get(schema) ?? jsonSchemaOf(schema);
  schemas.set(schema, made);
  // Named for the question: the request must not depend on what else was asked in this process before.
  const name = step.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (size?.small && size.forcesCalls) {
    const spec = { type: 'function' as const, name, description: 'Takes the answer.', inputSchema: shortSchema(made) };
    return {
      line: `Answer by calling ${name}.`,
      request: { tools: [spec], toolChoice: { type: 'tool', toolName: name } },
    };
  }
  // Stated in the text as well: not every server that accepts a schema enforces it, and text-only models never see it.
  const line = size?.small
    ? `Reply with one JSON object of this form, and nothing else:\n${shapeText(made, deepestNamed)}`
    : `Reply with one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(made)}`;
  return { line, request: { responseFormat: { type: 'json', schema: made, name } } };
}

/** How long a reply to the question may be, where that is bounded; a sentence where the question does not fit the model's context. */
export function replyRoom(
  transcript: Transcript,
  { request }: QuestionForm,
  size: ModelSize | undefined,
): { maxOutputTokens: number | undefined } | { overflow: string } {
  const most = size?.small ? longestSmallReply : undefined;
  const context = size?.contextTokens;
  if (context === undefined) return { maxOutputTokens: most };
  const shape = Buffer.byteLength(JSON.stringify(request.tools ?? ''));
  const asked = cautiousTokens(seal(transcript).bytes + shape);
  const left = context - asked;
  if (left < leastReply) {
    const overflow = `the question has about ${asked} tokens and the model's context ${context}, so it was not asked. Give the model a longer context, or a smaller task`;
    return { overflow };
  }
  return { maxOutputTokens: most && Math.min(most, left) };
}
