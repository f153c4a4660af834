import type { Embedding } from './memory.ts';
import type { Match } from './ranking.ts';

export const defaultMinSimilarity = 0.5;

/** Whether the vector can be compared: it has numbers, and a direction. */
export function isComparable({ vector }: Embedding): boolean {
  return vector.length > 0 && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
}

/** Whether both come from one model at one length. */
export function areOfOneKind(a: Embedding, b: Pick<Embedding, 'model'> & { vector: { length: number } }): boolean {
  return a.model === b.model && a.vector.length === b.vector.length;
}

/** The embedded texts that are near the query's, with the cosine of the angle between them. */
export function nearest(
  query: Embedding,
  embedded: readonly { id: string; embedding: Embedding }[],
  least: number = defaultMinSimilarity,
): Match[] {
  if (!isComparable(query)) return [];
  return embedded
    .filter(({ embedding }) => areOfOneKind(query, embedding))
    .map(({ id, embedding }) => ({ id, score: cosine(query.vector, embedding.vector) }))
    .filter(({ score }) => score >= least);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    product += value * other;
    squaresA += value * value;
    squaresB += other * other;
  }
  return product / Math.sqrt(squaresA * squaresB);
}
