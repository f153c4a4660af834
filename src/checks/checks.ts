import { UsageError } from '../core/errors.ts';
import { arithmetic } from './arithmetic.ts';
import type { Check } from './check.ts';
import { citedUrls } from './cited-urls.ts';
import { consistency } from './consistency.ts';
import { constraints } from './constraints.ts';
import { evidence } from './evidence.ts';
import { quotes } from './quotes.ts';
import { references } from './references.ts';
import { schema } from './schema.ts';
import { support } from './support.ts';
import { testLog } from './test-log.ts';

/** The checks that come with Assay, by name. All are pure. */
export const builtinChecks: ReadonlyMap<string, Check> = new Map(
  [evidence, quotes, support, arithmetic, citedUrls, references, consistency, constraints, testLog, schema].map(
    (known) => [known.name, known],
  ),
);

/** A check of one's own. It returns issues, none when it found nothing wrong; I/O goes through `context.step`. */
export function check(name: string, run: Check['run']): Check {
  if (!/^[A-Za-z][\w-]*$/.test(name))
    throw new UsageError(`'${name}' is no name for a check: begin with a letter, then letters, digits, - and _`);
  return { name, run };
}

/** The check of this name, of `extra` or built in; one in `extra` comes first. Throws `UsageError` with the valid names. */
export function checkByName(name: string, extra: readonly Check[] = []): Check {
  const found = extra.find((candidate) => candidate.name === name) ?? builtinChecks.get(name);
  if (found) return found;
  const names = new Set([...builtinChecks.keys(), ...extra.map((known) => known.name)]);
  throw new UsageError(`there is no check '${name}': the checks are ${[...names].join(', ')}`);
}
