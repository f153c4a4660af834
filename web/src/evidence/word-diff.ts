import { diffArrays } from 'diff';

export interface DiffPart {
  type: 'same' | 'added' | 'removed';
  text: string;
}

/** Milliseconds after which two texts are not compared any further: a model may write two books. */
const mostMs = 400;
/** It knows words without spaces between them, and `4,295` as one. */
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** What changed, word by word. Undefined when it would take too long. */
export function wordDiff(before: string, after: string): DiffPart[] | undefined {
  const changes = diffArrays(wordsOf(before), wordsOf(after), { timeout: mostMs });
  return changes?.map(({ value, added, removed }) => ({
    type: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }));
}

function wordsOf(text: string): string[] {
  return Array.from(words.segment(text), ({ segment }) => segment);
}
