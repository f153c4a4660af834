/** Whose word counts, and what reports and records say of an answer. */
import type { Knowledge, Report } from '../../core/attempt.ts';
import type { ExportVerdict } from './export-run.ts';

/** From the least to the most that a judge can know. */
const ranks: readonly Knowledge[] = ['self', 'another-model', 'rules', 'schema', 'reference', 'tests'];

/** The judge that knows most, or least. */
export function byKnowledge<T extends { knows: Knowledge }>(
  judges: readonly T[],
  which: 'most' | 'least',
): T | undefined {
  const sorted = judges.toSorted((a, b) => ranks.indexOf(a.knows) - ranks.indexOf(b.knows));
  return which === 'most' ? sorted.at(-1) : sorted[0];
}

/**
 * What the last judgement of an answer comes to. Reports of the same mind at the end count as one judgement, by the one who knows most: a
 * pass by the model itself takes nothing from the pass of a check before it. Undefined where the last judge could not be asked.
 */
export function verdictOf(reports: readonly Report[]): ExportVerdict | undefined {
  const last = reports.at(-1);
  if (!last || last.verdict === 'unchecked') return undefined;
  const pass = last.verdict === 'pass';
  const firstOther = reports.findLastIndex(
    (report) => report.verdict === 'unchecked' || (report.verdict === 'pass') !== pass,
  );
  const judgement = reports.slice(firstOther + 1);
  const judge = byKnowledge(judgement, 'most') ?? last;
  const feedback = judge.issues.map(({ detail }) => detail).join(' ');
  return {
    pass,
    score: pass ? 1 : 0,
    by: judge.by,
    knows: judge.knows,
    // What a judge with the reference says may hold it.
    ...(feedback !== '' && judge.knows !== 'reference' && { feedback }),
  };
}

/** The verdict of an evaluation. With several graders the one that knows least decides what it is worth. */
export function gradedVerdict(
  grade: { pass: boolean; score: number },
  graders: readonly { name: string; knows: Knowledge }[],
): ExportVerdict | undefined {
  const least = byKnowledge(graders, 'least');
  if (!least) return undefined;
  const { pass, score } = grade;
  return { pass, score, by: graders.map(({ name }) => name).join(', '), knows: least.knows };
}
