/** The rules of the desk, as its users would have them checked. None of them knows a right answer. */
import { type Check, check, format } from 'assay';
import { conditionFormat, type GeneratedTask } from 'assay/testing';

type Inputs<T> = ReadonlyMap<string, T>;

/** A solver without tools gets the documents after the question. */
function byQuestion<T>(tasks: readonly GeneratedTask[], value: (task: GeneratedTask) => T): Inputs<T> {
  return new Map(tasks.map((task) => [task.task.input, value(task)]));
}

function question(input: string): string {
  return input.split('\n', 1)[0] ?? '';
}

/** The conditions that a task sets for its answer. */
export function conditions(tasks: readonly GeneratedTask[]): Check {
  const formats = byQuestion(tasks, ({ rules }) => rules.map((rule) => format(conditionFormat(rule))));
  return check('conditions', async (attempt, task, context) => {
    const found = (formats.get(question(task.input)) ?? []).map((one) => one.run(attempt, task, context));
    return (await Promise.all(found)).flat();
  });
}

/** Quotes come from the document in force, the first of a task, and not from the one that it has replaced. */
export function inForce(tasks: readonly GeneratedTask[]): Check {
  const documents = byQuestion(tasks, (task) => task.documents);
  return check('in-force', ({ claims }, task) => {
    const [now, ...before] = documents.get(question(task.input)) ?? [];
    return claims.flatMap(({ text, evidence }) =>
      evidence.flatMap(({ quote }) => {
        const replaced = now?.text.includes(quote) ? undefined : before.find((one) => one.text.includes(quote));
        if (!replaced) return [];
        return [
          {
            type: 'unsupported_claim' as const,
            detail: `a quote is from "${replaced.title}", which is not in force`,
            requiredAction: 'take the figure from the document that is in force',
            claim: text,
          },
        ];
      }),
    );
  });
}
