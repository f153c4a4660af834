import * as z from 'zod';
import { schemaProblems } from '../checks/json-schema.ts';
import type { Json, JsonSchema } from '../core/json.ts';
import { declareJsonSchema } from './tool.ts';

/**
 * A schema for `Tool.input` from a JSON Schema, as other programs describe their tools. The model is shown the JSON Schema itself.
 * Throws `UsageError` for a schema that arguments cannot be judged by.
 */
export function jsonSchemaInput(schema: JsonSchema): z.ZodType {
  schemaProblems({}, schema);
  const input = z.unknown().superRefine((value, context) => {
    // What is validated came out of a JSON parser.
    for (const { path, message } of schemaProblems(value as Json, schema)) {
      context.addIssue({ code: 'custom', message, path: path === '' ? [] : [path] });
    }
  });
  declareJsonSchema(input, schema);
  return input;
}
