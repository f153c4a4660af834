import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StateError } from '../../core/errors.ts';
import { blobStoreContract } from '../../testing/blob-store-contract.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../../testing/postgres-server.ts';
import { postgresBlobs } from './postgres-blobs.ts';

const absent = noPostgres();
let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  if (absent !== undefined) return;
  server = await startPostgres();
  admin = new pg.Client(server.url);
  await admin.connect();
}, 60_000);

afterAll(async () => {
  await admin?.end();
  await server?.close();
});

const skipped = absent ? ` (skipped: ${absent})` : '';

describe.skipIf(absent !== undefined)(`on PostgreSQL${skipped}`, () => {
  let schemas = 0;
  blobStoreContract('postgres', () => {
    const schema = `blobs_${++schemas}`;
    const another = () => postgresBlobs({ connectionString: server.url, schema });
    return {
      store: another(),
      another,
      async damage(reference, change) {
        const hash = reference.slice('sha256-'.length);
        const { rows } = await admin.query(`SELECT content FROM ${schema}.blobs WHERE hash = $1`, [hash]);
        await admin.query(`UPDATE ${schema}.blobs SET content = $2 WHERE hash = $1`, [hash, change(rows[0].content)]);
      },
      dispose: async () => void (await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    };
  });

  test('a closed store says so', async () => {
    const store = postgresBlobs({ connectionString: server.url });
    await store.close();
    await expect(store.put('x')).rejects.toThrow(StateError);
  });
});
