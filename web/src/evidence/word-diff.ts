import { diffArrays } from 'diff';

export interface DiffPart {
  type: 'same' | 'added' | 'removed';
  text: string;
}

/** Milliseconds after which two texts are not compared any further: a model may write two books. */
const mostMs = 400;
/** It knows words without spaces between them, and `4,295` as one. */
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

const hasWord = /[\p{L}\p{N}]/u;

/** What changed, word by word. Undefined when it would take too long. */
export function wordDiff(before: string, after: string): DiffPart[] | undefined {
  const changes = diffArrays(wordsOf(before), wordsOf(after), { timeout: mostMs });
  if (!changes) return undefined;
  const parts: DiffPart[] = [];
  let [removed, added] = ['', ''];
  const flush = (): void => {
    if (removed !== '') parts.push({ type: 'removed', text: removed });
    if (added !== '') parts.push({ type: 'added', text: added });
    [removed, added] = ['', ''];
  };
  for (const [place, change] of changes.entries()) {
    const text = change.value.join('');
    const isSame = !change.added && !change.removed;
    // A space or a comma between two changes is no island worth seeing.
    const isIsland = isSame && (removed !== '' || added !== '') && place < changes.length - 1 && !hasWord.test(text);
    if (isSame && !isIsland) {
      flush();
      parts.push({ type: 'same', text });
      continue;
    }
    if (!change.added) removed += text;
    if (!change.removed) added += text;
  }
  flush();
  return parts;
}

function wordsOf(text: string): string[] {
  return Array.from(words.segment(text), ({ segment }) => segment);
}
