import { urlsIn } from '../../checks/cited-urls.ts';
import { statedResults } from '../../checks/equations.ts';
import { isCarried, numberSource, numbersIn } from '../../checks/numbers.ts';
import { standsIn } from '../../checks/quote-text.ts';
import type { Attempt, Issue } from '../../core/attempt.ts';
import type { Task } from '../../core/task.ts';

/** Whole numbers up to this one count things and list items. */
const smallCount = 10;
const quoted = /["“«「]([^"“”«»「」\n]{12,})["”»」]/gu;

/**
 * The facts that a revision added and that stand nowhere: numbers, URLs and quoted texts of its answer that are neither in the first draft,
 * nor in the task, the observations, what code demanded, or a computation the answer states (Self-Refine mends, it does not invent).
 */
export function addedFacts(revision: Attempt, draft: Attempt, { task, date }: { task: Task; date: string }): Issue[] {
  const { answer = '', observations, reports } = revision;
  // What code calls unsupported is no source, although it names it.
  const demands = reports
    .flatMap(({ by, issues }) => (by === 'checks' ? issues : []))
    .filter(({ type }) => type !== 'unsupported_claim');
  const text = [
    date,
    task.input,
    ...task.constraints,
    draft.answer ?? '',
    ...draft.claims.map((claim) => claim.text),
    ...observations.map(({ content, args }) => `${content}\n${JSON.stringify(args) ?? ''}`),
    ...demands.map(({ detail, requiredAction }) => `${detail}\n${requiredAction}`),
  ].join('\n');
  const source = numberSource([text, ...statedResults(answer)].join('\n'));
  const numbers = numbersIn(answer).filter((number) => number.value > smallCount && !isCarried([source], number));
  const urls = urlsIn(answer).filter((url) => !text.includes(url));
  // In JSON every text stands in quotation marks.
  const prose = task.outputSchema ? '' : answer;
  const words = [...prose.matchAll(quoted)].map(([, inner = '']) => inner).filter((inner) => !standsIn(inner, text));
  const added = new Set([...numbers.map((number) => number.text), ...urls, ...words.map((inner) => `"${inner}"`)]);
  return [...added].map((fact) => ({
    type: 'unsupported_claim',
    detail: `the revision added ${fact}, which stands in no source`,
    requiredAction: 'take it out, or find it with a tool and cite the observation',
  }));
}
