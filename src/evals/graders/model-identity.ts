import type { Knowledge } from '../../core/attempt.ts';
import { UsageError } from '../../core/errors.ts';
import { isKnownByName } from '../../model/capability.ts';
import type { ModelChoice } from '../../model/roles.ts';

/** Whose answers a model judges: a judge that answers itself knows nothing more. */
export interface Judged {
  /** The models that answer in the evaluation: one of them being the judge makes it `self`. */
  actors?: ModelChoice | readonly ModelChoice[] | undefined;
  /** Said by the caller where the models that answer are not named. */
  knows?: Extract<Knowledge, 'another-model' | 'self'> | undefined;
}

/** What a judge knows. Throws `UsageError` where neither the models that answer are named nor it is said. */
export function judgeKnows(judge: ModelChoice, { actors, knows }: Judged): 'another-model' | 'self' {
  if (actors === undefined) {
    if (knows !== undefined) return knows;
    throw new UsageError(
      "rubric: whether the judge is another model than the one that answers is not known. Name the models that answer as `actors`, or say `knows: 'another-model'`.",
    );
  }
  const isOne = [actors].flat().some((actor) => isSameModel(judge, actor));
  return isOne || knows === 'self' ? 'self' : 'another-model';
}

/** An id as a report shows it. */
export function modelName(choice: ModelChoice): string {
  if (typeof choice === 'string') return choice;
  return typeof choice === 'function' ? choice.name || 'function' : choice.modelId;
}

/** The same model of another vendor is the same; models of this process that share a name need not be. */
function isSameModel(one: ModelChoice, other: ModelChoice): boolean {
  if (one === other) return true;
  const [name, otherName] = [one, other].map(bareName);
  return name !== undefined && name === otherName;
}

function bareName(choice: ModelChoice): string | undefined {
  if (typeof choice === 'function') return undefined;
  const id = typeof choice === 'string' ? choice : choice.modelId;
  if (typeof choice === 'object' && !isKnownByName(choice)) return undefined;
  return id
    .toLowerCase()
    .replace(/^.*#/, '')
    .replace(/^[a-z-]+:/, '')
    .replace(/^.*\//, '');
}
