/** What SQLite's full-text index uses, so that all stores rank alike (Robertson and Zaragoza 2009, section 3.2). */
const saturation = 1.2;
const lengthWeight = 0.75;
const leastRarity = 1e-6;

/**
 * The BM25 relevance of each document for the query terms; 0 where no term occurs. `collection` is how many documents there are, when
 * these are only the ones with a term of the query.
 */
export function bm25(
  query: readonly string[],
  documents: readonly (readonly string[])[],
  collection: number = documents.length,
): number[] {
  const average = documents.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, documents.length);
  const rarity = new Map(query.map((term) => [term, rarityOf(term, documents, collection)]));
  return documents.map((terms) => {
    let relevance = 0;
    for (const [term, weight] of rarity) {
      const count = terms.filter((own) => own === term).length;
      if (count === 0) continue;
      const length = 1 - lengthWeight + (lengthWeight * terms.length) / average;
      relevance += (weight * count * (saturation + 1)) / (count + saturation * length);
    }
    return relevance;
  });
}

function rarityOf(term: string, documents: readonly (readonly string[])[], collection: number): number {
  const holders = documents.filter((terms) => terms.includes(term)).length;
  const value = Math.log((collection - holders + 0.5) / (holders + 0.5));
  return value > 0 ? value : leastRarity;
}
