import { shownName } from './shown-name.ts';

export interface ListLimits {
  maxEntries: number;
  maxListed: number;
  maxArchiveBytes: number;
}

/** The lines under a head that counts them. Shared with archives. */
export function listed(parts: readonly string[], lines: readonly string[], notes: readonly string[]): string {
  const where = shownName(parts.join('/')) || 'the folder';
  const count = lines.length === 1 ? '1 entry' : `${lines.length} entries`;
  const head = lines.length === 0 ? `${where} is empty` : `${where}, ${count}:`;
  const left = notes.length === 0 ? [] : ['', `Left out: ${shortened(notes)}`];
  return [head, ...lines, ...left].join('\n');
}

const shownNotes = 20;

/** The first notes and how many more there are. */
export function shortened(notes: readonly string[]): string {
  const more = notes.length > shownNotes ? `; and ${notes.length - shownNotes} more` : '';
  return notes.slice(0, shownNotes).join('; ') + more;
}
