import { messageOf } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Check } from './check.ts';
import { schemaProblems } from './json-schema.ts';

const shownProblems = 10;

/** With `task.outputSchema`, the answer is the text of one JSON value that fits it; without one there is nothing to check. */
export const schema: Check = {
  name: 'schema',
  run(attempt, task) {
    if (task.outputSchema === undefined) return [];
    if (attempt.answer === undefined)
      return [{ type: 'incomplete', detail: 'there is no answer to fit the schema', requiredAction: 'answer in JSON' }];
    const parsed = strictJson(attempt.answer);
    if (!parsed.ok)
      return [
        {
          type: 'failed_check',
          detail: `the answer is not JSON: ${parsed.why}`,
          requiredAction: 'answer with one JSON value and nothing else: no code fence, no words around it',
        },
      ];
    const problems = schemaProblems(parsed.value, task.outputSchema);
    if (problems.length === 0) return [];
    const listed = problems.slice(0, shownProblems).map(({ path, message }) => `${path || 'the value'} ${message}`);
    const more = problems.length > listed.length ? `; and ${problems.length - listed.length} more` : '';
    return [
      {
        type: 'failed_check',
        detail: `the answer does not fit the output schema: ${listed.join('; ')}${more}`,
        requiredAction: 'correct these places and give the whole JSON value again',
      },
    ];
  },
};

function strictJson(text: string): { ok: true; value: Json } | { ok: false; why: string } {
  try {
    // JSON.parse gives nothing but JSON values.
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}
