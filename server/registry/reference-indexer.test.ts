// Objects that an older version wrote come into the index of references, on both engines, even when it is interrupted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { ReferencesOf, Store } from '../store/store.ts';
import { startPostgres, withoutPostgres } from '../testing/postgres-server.ts';
import type { PostgresServer } from '../testing/postgres-server.ts';
import { makeObject, seed } from '../testing/store-conformance/fixture.ts';
import { referencesOf } from './reference-index.ts';
import { createReferenceIndexer } from './reference-indexer.ts';
import { readReferrers } from './referrers.ts';
import { overlay } from '../overlay.ts';

type Open = (referencesOf?: ReferencesOf) => Promise<Store>;

let server: PostgresServer | undefined;
const directory = mkdtempSync(join(tmpdir(), 'svc-indexer-'));
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await server?.remove();
});

/** Databases that can be opened more than once. */
const engines: readonly { name: string; skip: boolean; database: () => Promise<Open> }[] = [
  {
    name: 'SQLite',
    skip: false,
    database: () =>
      Promise.resolve((index) =>
        openSqliteStore({ path: join(directory, 'store.db'), clock: systemClock, ...(index && { referencesOf: index }) }),
      ),
  },
  {
    name: 'PostgreSQL',
    skip: withoutPostgres('the reference indexer over PostgreSQL'),
    async database() {
      server = await startPostgres();
      const url = await server.createDatabase();
      return (index) => openPostgresStore({ url, clock: systemClock, ...(index && { referencesOf: index }) });
    },
  },
];

/** The same store, with a limited number of successful transactions. */
function failingAfter(store: Store, transactions: number): Store {
  let left = transactions;
  return overlay(store, {
    transaction: (work) => (left-- > 0 ? store.transaction(work) : Promise.reject(new Error('the power went out'))),
  });
}

const AGENTS = 250;
const GPT = { kind: 'ModelEndpoint', namespace: 'team-a', name: 'gpt' };

const indexer = (store: Store) => createReferenceIndexer({ store, clock: systemClock, reportError: () => undefined });
const referrersOf = async (store: Store, key: typeof GPT) => (await readReferrers(store, key, { limit: 1_000 })).items.length;

describe.each(engines)('over $name', ({ skip, database }) => {
  it.skipIf(skip)('indexes existing objects, resumes after an interruption, and writes nothing once it is done', async () => {
    const open = await database();
    const old = await open();
    const agents = Array.from({ length: AGENTS }, (_, i) =>
      makeObject({ kind: 'Agent', namespace: 'team-a', name: `a-${String(i).padStart(3, '0')}`, spec: { model_ref: 'gpt' } }),
    );
    const endpoint = makeObject({ ...GPT, spec: { auth: { secretRef: 'key' } } });
    await seed(old, [...agents, endpoint]);
    await old.close();
    const store = await open(referencesOf);
    try {
      expect(await referrersOf(store, GPT)).toBe(0);
      const kindsBefore = 8;
      await expect(indexer(failingAfter(store, kindsBefore)).runOnce()).rejects.toThrow('power');
      expect(await referrersOf(store, GPT)).toBeLessThan(AGENTS);
      const { head } = await store.changeBounds();
      await indexer(store).runOnce();
      expect(await referrersOf(store, GPT)).toBe(AGENTS);
      expect(await referrersOf(store, { kind: 'Secret', namespace: 'team-a', name: 'key' })).toBe(1);
      expect((await store.changeBounds()).head).toBe(head);
      await indexer(failingAfter(store, 0)).runOnce();
    } finally {
      await store.close();
    }
  });
});
