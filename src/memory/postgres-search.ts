import { bm25 } from './bm25.ts';
import type { RecallQuery } from './memory.ts';
import { type Place, storable } from './postgres-rows.ts';
import type { Match } from './ranking.ts';
import { defaultMinSimilarity, nearest } from './similarity.ts';
import { queryTermsOf, termsOf } from './tokens.ts';

/** Active lessons that share a term with the text: the index finds them, BM25 ranks them as in the other stores. */
export async function byWords({ client, schema }: Place, { text, scope }: RecallQuery): Promise<Match[]> {
  const terms = queryTermsOf(text);
  if (terms.length === 0) return [];
  // A term has letters, marks and digits only: quoted, it is one lexeme of a query and no syntax.
  const found = await client.query<{ id: string; trigger: string; collection: string }>(
    `SELECT id, "trigger", (SELECT count(*) FROM ${schema}.lessons WHERE status = 'active' AND scope = $1) AS collection
     FROM ${schema}.lessons WHERE status = 'active' AND scope = $1 AND terms @@ $2::tsquery`,
    [storable(scope), terms.map((term) => `'${term}'`).join(' | ')],
  );
  const documents = found.rows.map(({ trigger }) => termsOf(trigger));
  const scores = bm25(terms, documents, Number(found.rows[0]?.collection ?? 0));
  return found.rows.map(({ id }, index) => ({ id, score: scores[index] ?? 0 }));
}

/** Active lessons whose embedding is near: compared by pgvector where it is installed (`vectors` is its schema), else here. */
export async function byMeaning(place: Place, query: RecallQuery, vectors: string | undefined): Promise<Match[]> {
  const { embedding, minSimilarity = defaultMinSimilarity } = query;
  if (!embedding) return [];
  return vectors === undefined
    ? comparedHere(place, query, minSimilarity)
    : comparedThere(place, query, { vectors, minSimilarity });
}

const ofOneKind = "status = 'active' AND scope = $1 AND embedding_model = $2 AND cardinality(embedding) = $3";

async function comparedHere({ client, schema }: Place, query: RecallQuery, least: number): Promise<Match[]> {
  const { embedding, scope } = query;
  if (!embedding) return [];
  const { model, vector } = embedding;
  const found = await client.query<{ id: string; embedding: number[] }>(
    `SELECT id, embedding FROM ${schema}.lessons WHERE ${ofOneKind}`,
    [storable(scope), storable(model), vector.length],
  );
  const embedded = found.rows.map((row) => ({ id: row.id, embedding: { model, vector: row.embedding } }));
  return nearest(embedding, embedded, least);
}

async function comparedThere(
  { client, schema }: Place,
  { embedding, scope }: RecallQuery,
  { vectors, minSimilarity }: { vectors: string; minSimilarity: number },
): Promise<Match[]> {
  if (!embedding) return [];
  const { model, vector } = embedding;
  // OFFSET 0 keeps the comparison behind the conditions: vectors of unlike lengths are an error.
  const found = await client.query<Match>(
    `SELECT id, score FROM (
       SELECT id, 1 - (embedding::${vectors}.vector OPERATOR(${vectors}.<=>) $4::real[]::${vectors}.vector) AS score
       FROM ${schema}.lessons WHERE ${ofOneKind} OFFSET 0
     ) AS near WHERE score >= $5`,
    [storable(scope), storable(model), vector.length, vector, minSimilarity],
  );
  return found.rows;
}
