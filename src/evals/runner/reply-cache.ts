/**
 * Replies by content, so that nothing is bought twice: not after a kill, and not when a suite is evaluated again.
 *
 * 1. A reply is stored before anybody sees it.
 * 2. Equal requests of one run are different samples: each has its number, and the key holds which repeat it belongs to.
 * 3. Only finished replies are kept, never errors.
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { lazyDatabase } from '../../trace/open-database.ts';

export interface ReplyCache {
  take(key: string, sample: number): LanguageModelV4StreamPart[] | undefined;
  put(key: string, sample: number, parts: readonly LanguageModelV4StreamPart[]): void;
  close(): void;
}

/** A cache in a SQLite file, which is made with the first reply. Throws `StateError` when the file cannot be used. */
export function replyCache(file: string): ReplyCache {
  const database = lazyDatabase(file, (open) =>
    open.exec(
      'CREATE TABLE IF NOT EXISTS replies (key TEXT, sample INTEGER, parts TEXT NOT NULL, PRIMARY KEY (key, sample)) STRICT, WITHOUT ROWID',
    ),
  );
  return {
    take(key, sample) {
      if (!database.exists()) return undefined;
      const row = database.use((open) =>
        open.prepare('SELECT parts FROM replies WHERE key = ? AND sample = ?').get(key, sample),
      );
      // Only `put` writes this table, so it holds parts.
      return row && (JSON.parse(String(row['parts']), revive) as LanguageModelV4StreamPart[]);
    },
    put(key, sample, parts) {
      database.use((open) =>
        open.prepare('INSERT OR IGNORE INTO replies VALUES (?, ?, ?)').run(key, sample, JSON.stringify(parts)),
      );
    },
    close: () => database.close(),
  };
}

/** The specification has one field that JSON does not know. */
function revive(key: string, value: unknown): unknown {
  return key === 'timestamp' && typeof value === 'string' ? new Date(value) : value;
}
