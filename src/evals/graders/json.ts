import { differences, differenceText } from '../../checks/difference.ts';
import { fencedCode } from '../../checks/fenced-blocks.ts';
import { schemaProblems } from '../../checks/json-schema.ts';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Json, JsonSchema } from '../../core/json.ts';
import type { Grader } from '../grader.ts';
import { misfit } from './expected.ts';
import { gradeOf, isBlank, unanswered } from './grade-of.ts';

export interface JsonOptions {
  /** The answer has to fit it. With a schema a task may leave `expected` out. */
  schema?: JsonSchema;
  /** `subset`: objects may have more keys than expected. Lists are compared in order, with all their items. Default `exact`. */
  match?: 'exact' | 'subset';
}

const deepest = 200;

/**
 * Passes when the answer is one JSON value, bare or in the only fenced block, that fits the schema and equals what is expected. Nothing
 * is repaired. Throws `UsageError` for a schema that cannot be judged by.
 */
export function json({ schema, match = 'exact' }: JsonOptions = {}): Grader {
  if (schema) schemaProblems(null, schema);
  return {
    name: 'json',
    knows: 'reference',
    reads: 'answer',
    config: { schema: schema ?? null, match },
    grade({ task, answer }) {
      const { expected } = task;
      if (expected === undefined && !schema)
        throw misfit(task, 'json', 'the expected JSON value, or the grader a schema');
      if (isBlank(answer)) return unanswered('one JSON value');
      const read = jsonIn(answer);
      if (!read.ok) return gradeOf(false, read.why);
      const [problem] = schema ? problemsOf(read.value, schema) : [];
      if (problem !== undefined) return gradeOf(false, `the answer does not fit the schema: ${problem}`);
      const [first] = expected === undefined ? [] : differences(expected, read.value, match === 'exact', 'answer');
      return gradeOf(first === undefined, first ? differenceText(first) : 'the answer is as expected');
    },
  };
}

function jsonIn(answer: string): { ok: true; value: Json } | { ok: false; why: string } {
  const [block, ...more] = fencedCode(answer);
  const text = block !== undefined && more.length === 0 ? block : answer;
  if (depthOf(text) > deepest) return { ok: false, why: `the answer is nested deeper than ${deepest}` };
  try {
    // JSON.parse gives nothing but JSON values.
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, why: `the answer is not one JSON value: ${messageOf(error).slice(0, 160)}` };
  }
}

/** How deep brackets are nested, those in strings left out. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (inString && character === '\\') at++;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '[' || character === '{')) most = Math.max(most, ++depth);
    else if (!inString && (character === ']' || character === '}')) depth--;
  }
  return most;
}

/** The schema was found to be usable: what it cannot judge now is the answer's doing. */
function problemsOf(value: Json, schema: JsonSchema): string[] {
  try {
    return schemaProblems(value, schema).map(({ path, message }) => `${path || 'the value'} ${message}`);
  } catch (error) {
    if (error instanceof UsageError) return [error.message];
    throw error;
  }
}
