import { StateError, UsageError } from '../../core/errors.ts';
import type { PostgresOptions } from '../../trace/postgres/connections.ts';
import { type PostgresLayout, PostgresTables } from '../../trace/postgres/database.ts';
import { type BlobStore, bytesOf, checkedBytes, digitsOf, missingBlob, referenceOf } from '../blobs.ts';

const layout: PostgresLayout = {
  name: 'blob',
  migrations: [
    `CREATE TABLE SCHEMA.blobs (
       hash text PRIMARY KEY,
       content bytea NOT NULL,
       stored timestamptz NOT NULL DEFAULT now()
     );
     ALTER TABLE SCHEMA.blobs ALTER COLUMN content SET STORAGE EXTERNAL;`,
  ],
};
/** The server gives bytes as hexadecimal text, and a text of JavaScript has an end. */
const mostBytes = 200 * 1024 * 1024;

/**
 * Blobs in a table, where a database is there anyway and blobs are few; at most 200 MiB each. Throws `UsageError` for options that
 * cannot be; the methods reject with `StateError` when the database cannot be used.
 */
export function postgresBlobs(options: PostgresOptions): BlobStore {
  const tables = new PostgresTables(options, layout);
  const { schema } = tables;
  const place = `PostgreSQL (schema ${schema})`;
  return {
    async put(content) {
      const bytes = bytesOf(content);
      if (bytes.length > mostBytes)
        throw new UsageError(
          `a blob of ${bytes.length} bytes is too large for PostgreSQL (at most ${mostBytes}): use folderBlobs or s3Blobs`,
        );
      const reference = referenceOf(bytes);
      await tables.use((connection) =>
        connection.query(
          // Over one that is there too: it may be damaged.
          `INSERT INTO ${schema}.blobs AS old (hash, content) VALUES ($1, $2)
           ON CONFLICT (hash) DO UPDATE SET content = excluded.content WHERE old.content <> excluded.content`,
          [digitsOf(reference), bytes],
        ),
      );
      return reference;
    },
    async get(reference) {
      const found = await tables.use((connection) =>
        connection.query(`SELECT content FROM ${schema}.blobs WHERE hash = $1`, [digitsOf(reference)]),
      );
      const content = found.rows[0]?.['content'];
      if (content === undefined) throw missingBlob(reference, place);
      if (!(content instanceof Uint8Array))
        throw new StateError(`${place} gave no bytes: let the pool parse bytea as usual`);
      return checkedBytes(reference, content, place);
    },
    async delete(reference) {
      await tables.use((connection) =>
        connection.query(`DELETE FROM ${schema}.blobs WHERE hash = $1`, [digitsOf(reference)]),
      );
    },
    close: () => tables.close(),
  };
}
