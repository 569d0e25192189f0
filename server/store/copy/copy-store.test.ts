// Copying a real embedded database into a real PostgreSQL one: everything arrives, or nothing does.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { searchWords } from '@svc/shared/search-text';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../testing/postgres-server.ts';
import {
  at,
  claimWork,
  EPOCH,
  makeItem,
  makeObject,
  nextVersion,
  suiteClock,
  suiteIndex,
} from '../../testing/store-conformance/fixture.ts';
import { openPostgresStore } from '../postgres/open.ts';
import { openConnection } from '../sqlite/connection.ts';
import { DATABASE_FILE, openSqliteStore } from '../sqlite/open.ts';
import type { ListQuery, Store, StoredObject } from '../store.ts';
import { copyStore, planCopy, type CopyProgress, type CopyReport } from './copy-store.ts';
import type { TargetTables } from './copy-target.ts';
import { openEmbeddedSource } from './embedded-source.ts';
import { openCopyTarget } from './open-copy-target.ts';

const OBJECTS = 1_200;
const ENTRIES = 700;
const EVENTS = 30;
const KEY = { kind: 'Task', namespace: 'default', name: 'alpha' };
const LONG = 'ä€😀 \\ " \u0000 \u2028 '.repeat(2_000);

let directory: string;
let dataDir: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-copy-'));
  dataDir = join(directory, 'data');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const database = () => join(dataDir, DATABASE_FILE);
const openSource = (): Promise<Store> => openSqliteStore({ path: database(), clock: suiteClock });

/** Two claimed items, one with a journal; one parked, one parked with a signal on its way, one for later, one for a machine with a GPU. */
async function fillQueue(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (const key of ['held', 'running', 'parked', 'signalled']) await tx.enqueueWork(makeItem({ key }));
  });
  const claims = new Map((await claimWork(store, { leaseMs: 3_600_000 })).map((claim) => [claim.key, claim]));
  const claimOf = (key: string) => claims.get(key) ?? expect.fail(`${key} was not claimable`);
  await store.transaction(async (tx) => {
    const entry = (n: number) => ({ type: 'model.completed', timestamp: at(n), data: { n, content: LONG.slice(0, n) } });
    await tx.appendJournal(
      claimOf('running'),
      0,
      Array.from({ length: ENTRIES }, (_, n) => entry(n)),
    );
    await tx.releaseWork(claimOf('parked'), { notBefore: 0, parked: true });
    await tx.sendSignal('task', { stream: 'held', type: 'cancel', timestamp: at(1), data: { by: 'someone' } });
    await tx.releaseWork(claimOf('signalled'), { notBefore: EPOCH + 5_000, rank: 0.5, requirements: { region: 'eu', secrets: true } });
    await tx.enqueueWork(makeItem({ key: 'later', notBefore: EPOCH + 60_000 }));
    await tx.enqueueWork(makeItem({ key: 'gpu', requirements: { gpu: true, model: 'large' } }));
  });
}

async function fill(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (let n = 0; n < OBJECTS; n += 1) {
      const name = `object-${n}`;
      await tx.insertObject(
        makeObject({ name, createdAt: at(n), labels: { shard: String(n % 7) }, annotations: { note: LONG.slice(0, n) } }),
      );
    }
    for (let n = 0; n < OBJECTS; n += 3) await tx.deleteObject({ ...KEY, name: `object-${n}` }, at(5_000));
    const object = makeObject({ labels: { app: 'x' }, spec: { system: 'pipeline', text: LONG }, status: { phase: 'Running' } });
    await tx.insertObject(object);
    await tx.updateObject(nextVersion(object, { status: { phase: 'Succeeded', output: { last_output: LONG } } }));
    await tx.appendFact(object, at(2), { type: 'task.claimed', source: 'worker', action: 'claimed', message: LONG, data: { n: 1.5 } });
    const version = { generation: 1, writtenAt: at(0), replacedAt: at(2), spec: { text: LONG } };
    await tx.keepVersion(object.uid, version, { number: 10, bytes: 1_000_000 });
    await tx.putDocument('tokens', 'a', { name: 'ci', text: LONG });
    await tx.putDocument('tokens', 'b', {});
    await tx.deleteDocument('tokens', 'b');
    const event = (n: number) => ({ type: 'message.delta', timestamp: at(n), data: { n, delta: LONG.slice(0, n) } });
    await tx.appendEvents(
      'session-1',
      Array.from({ length: EVENTS }, (_, n) => event(n)),
    );
  });
  await fillQueue(store);
  await store.pruneChanges({ keepNewest: 1_000 });
}

async function makeEmbedded(): Promise<void> {
  const store = await openSource();
  await fill(store);
  await store.close();
}

async function pages<T>(read: (after: T | undefined) => Promise<T[]>): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const page = await read(all.at(-1));
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Everything the store shows, work items aside. */
async function contents(store: Store) {
  const limit = 500;
  const list = (query: Partial<ListQuery>) =>
    pages<StoredObject>((after) => store.listObjects({ kind: 'Task', limit, ...query, ...(after && { after }) }));
  return {
    byName: await list({}),
    byAge: await list({ order: '-createdAt', fields: [{ path: 'status.phase', op: 'eq', value: 'Pending' }] }),
    byLabel: await list({ labels: [{ op: 'eq', key: 'shard', value: '3' }] }),
    namespaces: await store.listNamespaces(),
    bounds: await store.changeBounds(),
    changes: await pages<{ seq: number }>((after) => store.readChanges({ after: after?.seq ?? 0, limit })),
    journal: await pages<{ seq: number }>((after) => store.readJournal('running', after?.seq ?? 0, limit)),
    signals: await store.readSignals('held'),
    events: await store.readEvents('session-1', { after: 0, limit: 1_000 }),
    eventHead: await store.eventHead('session-1'),
    version: await store.getVersion(makeObject().uid, 1),
    documents: await store.listDocuments('tokens', '', 10),
  };
}

/** Runs the refused action and returns its one sentence. */
async function refusal(action: () => unknown): Promise<ServiceError> {
  try {
    await action();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return expect.fail('it was not refused');
}

describe('an embedded database', () => {
  it('is refused while a server uses it, and free again after that', async () => {
    const store = await openSource();
    const error = await refusal(() => openEmbeddedSource(dataDir));
    expect(error.message).toBe(`a server is using the database ${database()}; stop it first, then copy`);
    await store.close();
    openEmbeddedSource(dataDir).close();
  });

  it('keeps servers out while it is copied', async () => {
    await makeEmbedded();
    const source = openEmbeddedSource(dataDir);
    expect((await refusal(openSource)).message).toMatch(/^another server is using the database/);
    source.close();
    await (await openSource()).close();
  });

  it('is refused when it does not exist, and is not created', async () => {
    expect((await refusal(() => openEmbeddedSource(dataDir))).message).toBe(`there is no embedded database at ${database()}`);
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each([
    ['of a newer program', 'PRAGMA user_version = 999', /has schema version 999, and this server knows versions up to/],
    ['of another program', 'PRAGMA application_id = 1', /is a database of another program/],
  ])('is refused when it is %s', async (_, sql, sentence) => {
    await makeEmbedded();
    const connection = openConnection(database());
    connection.exec(sql);
    connection.close();
    expect((await refusal(() => openEmbeddedSource(dataDir))).message).toMatch(sentence);
  });

  it('is refused when it is damaged', async () => {
    await makeEmbedded();
    const bytes = readFileSync(database());
    bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 20_000);
    writeFileSync(database(), bytes);
    expect((await refusal(() => openEmbeddedSource(dataDir))).message).toMatch(/is damaged or not a database/);
  });

  it('is refused when it is empty', async () => {
    mkdirSync(dataDir);
    writeFileSync(database(), '');
    expect((await refusal(() => openEmbeddedSource(dataDir))).message).toMatch(/is empty; there is nothing to copy$/);
  });
});

describe.skipIf(withoutPostgres('copying a store'))('copying into PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());
  beforeEach(async () => {
    url = await postgres.createDatabase();
  });

  const openTarget = (): Promise<Store> => openPostgresStore({ url, clock: suiteClock });

  interface Attempt {
    readonly onProgress?: (progress: CopyProgress) => void;
    readonly signal?: AbortSignal;
    /** Hooks between the copy and its target. */
    readonly meddle?: (tables: TargetTables) => TargetTables;
  }

  async function copy({ onProgress = () => undefined, signal = new AbortController().signal, meddle }: Attempt = {}): Promise<CopyReport> {
    const source = openEmbeddedSource(dataDir);
    const target = await openCopyTarget(url);
    const between: typeof target = {
      ...target,
      transaction: (work) => target.transaction((tables) => work(meddle ? meddle(tables) : tables)),
    };
    try {
      return await copyStore({ source, target: between, onProgress, signal });
    } finally {
      await target.close();
      source.close();
    }
  }

  async function assertNothingArrived(): Promise<void> {
    const target = await openCopyTarget(url);
    await target.assertEmpty();
    await target.close();
  }

  it('brings over everything the embedded store shows, and leaves that one as it was', async () => {
    const embedded = await openSource();
    await fill(embedded);
    const before = await contents(embedded);
    await embedded.close();
    const bytes = () => createHash('sha256').update(readFileSync(database())).digest('hex');
    const untouched = bytes();
    const seen = new Map<string, CopyProgress>();
    const report = await copy({ onProgress: (progress) => seen.set(progress.table, progress) });
    expect(bytes()).toBe(untouched);
    const store = await openTarget();
    expect(await contents(store)).toEqual(before);
    await store.close();
    expect(before.changes.length).toBe(1_000);
    expect(report.changeHead).toBe(before.bounds.head);
    expect(Object.fromEntries(report.tables.map(({ name, rows }) => [name, rows]))).toMatchObject({
      objects: 801,
      changes: 1_000,
      journal: ENTRIES,
      signals: 1,
      event_streams: 1,
      stream_events: EVENTS,
      work_items: 6,
      documents: 1,
    });
    expect([...seen.values()]).toEqual(report.tables.map(({ name, rows }) => ({ table: name, done: rows, total: rows })));
  });

  it('continues after the newest change, signal and object', async () => {
    await makeEmbedded();
    const { changeHead } = await copy();
    const store = await openTarget();
    const object = await store.getObject(KEY);
    if (!object) return expect.fail('the object arrived');
    await store.transaction(async (tx) => {
      await tx.updateObject(nextVersion(object, { labels: { app: 'y' } }));
      await tx.insertObject(makeObject({ name: 'new' }));
      await tx.sendSignal('task', { stream: 'held', type: 'cancel', timestamp: at(2), data: {} });
    });
    expect((await store.readChanges({ after: changeHead, limit: 10 })).map(({ seq, name }) => [seq, name])).toEqual([
      [changeHead + 1, 'alpha'],
      [changeHead + 2, 'new'],
    ]);
    expect((await store.readSignals('held')).map(({ data }) => data)).toEqual([{ by: 'someone' }, {}]);
    const labelled = (app: string) => store.listObjects({ kind: 'Task', limit: 5, labels: [{ op: 'eq', key: 'app', value: app }] });
    expect([(await labelled('x')).length, (await labelled('y')).length]).toEqual([0, 1]);
    await store.close();
  });

  it('has the server on the target index the words of every text', async () => {
    const embedded = await openSqliteStore({ path: database(), clock: suiteClock, ...suiteIndex });
    await embedded.transaction(async (tx) => {
      for (const name of ['indexed', 'pending']) {
        await tx.insertObject(makeObject({ name, spec: { text: `${name} invoice` } }));
        if (name === 'indexed') await tx.indexTexts({ objects: 10, bytes: 1_000 });
      }
      await tx.insertObject(makeObject({ name: 'plain', labels: { text: 'invoice' } }));
    });
    await embedded.close();
    await copy();
    const store = await openPostgresStore({ url, clock: suiteClock, ...suiteIndex });
    expect(await store.hasPendingTexts()).toBe(true);
    await store.transaction((tx) => tx.indexTexts({ objects: 10, bytes: 10_000 }));
    const { objects } = await store.searchPage({ kind: 'Task', limit: 10, words: searchWords('invoice') }, 100_000);
    expect(objects.map(({ name }) => name)).toEqual(['pending', 'indexed']);
    expect(await store.hasPendingTexts()).toBe(false);
    await store.close();
  });

  it('makes items of the stopped server claimable at once, and keeps delayed ones waiting', async () => {
    await makeEmbedded();
    await copy();
    const store = await openTarget();
    const claims = await claimWork(store, { owner: 'worker-2' });
    expect(claims.map(({ key, fence, takeover }) => ({ key, fence, takeover }))).toEqual([
      { key: 'held', fence: 2, takeover: true },
      { key: 'running', fence: 2, takeover: true },
    ]);
    expect(await store.countWork('task', EPOCH)).toEqual({ ready: 1, waiting: 2, claimed: 2, parked: 1 });
    expect(await store.listReadyWork('task', { gpu: true, model: 'large' }, { limit: 5 })).toMatchObject([{ key: 'gpu' }]);
    expect(await store.getWorkItem('task', 'signalled')).toMatchObject({ notBefore: EPOCH + 5_000, rank: 0.5 });
    await store.transaction((tx) => tx.sendSignal('task', { stream: 'parked', type: 'decided', timestamp: at(3), data: {} }));
    expect((await claimWork(store, { owner: 'worker-2' })).map(({ key }) => key)).toEqual(['parked']);
    const later = { gpu: false, supportedModels: [], secrets: true, region: 'eu' };
    expect((await claimWork(store, { now: EPOCH + 60_000, capabilities: later })).map(({ key }) => key)).toContain('signalled');
    await store.close();
  });

  it('reports beforehand what would be copied, and writes nothing, not even the schema', async () => {
    await makeEmbedded();
    const store = await openSource();
    const memory = (name: string, provider: string) => makeObject({ kind: 'Memory', name, spec: { provider } });
    await store.transaction(async (tx) => {
      await tx.insertObject(memory('notes', 'embedded'));
      await tx.insertObject(memory('vectors', 'pgvector'));
    });
    await store.close();
    const source = openEmbeddedSource(dataDir);
    const planned = planCopy(source);
    source.close();
    expect(planned.memoriesWithoutEntries).toEqual(['default/notes']);
    await assertNothingArrived();
    expect(await copy()).toEqual(planned);
  });

  it('refuses a target that is not empty, and names its content', async () => {
    await makeEmbedded();
    const store = await openTarget();
    await store.transaction((tx) => tx.putDocument('c', 'a', {}));
    await store.close();
    const found = await refusal(copy);
    expect(found.code).toBe('conflict');
    expect(found.message).toMatch(/^the target database is not empty: it holds 1 row in documents; /);
  });

  it('refuses a target that once held something', async () => {
    await makeEmbedded();
    const store = await openTarget();
    await store.transaction((tx) => tx.insertObject(makeObject()));
    await store.transaction((tx) => tx.deleteObject(KEY, at(1)));
    await store.pruneChanges({ keepNewest: 0 });
    await store.close();
    expect((await refusal(copy)).message).toMatch(/it holds a change log that has come to 2; /);
  });

  it('is refused a second time, with the first copy unharmed', async () => {
    await makeEmbedded();
    await copy();
    expect((await refusal(copy)).message).toMatch(/not empty: it holds 801 rows in objects, /);
    const store = await openTarget();
    expect(await store.getObject(KEY)).toBeDefined();
    await store.close();
  });

  it.each(['objects', 'journal', 'documents'])(
    'leaves nothing behind when it is interrupted at the %s, and works the next time',
    async (table) => {
      await makeEmbedded();
      const controller = new AbortController();
      const onProgress = (progress: CopyProgress) => {
        if (progress.table === table) controller.abort(new Error('interrupted'));
      };
      await expect(copy({ onProgress, signal: controller.signal })).rejects.toThrow('interrupted');
      await assertNothingArrived();
      await copy();
    },
  );

  it.each<[string, (tables: TargetTables) => TargetTables]>([
    [
      'a row is missing',
      (tables) => ({ ...tables, insert: (table, rows) => tables.insert(table, table.name === 'journal' ? rows.slice(1) : rows) }),
    ],
    [
      'a row came with one other character',
      (tables) => ({
        ...tables,
        insert: (table, rows) => tables.insert(table, table.name === 'documents' ? rows.map((row) => ({ ...row, id: 'A' })) : rows),
      }),
    ],
  ])('notices when %s, and copies nothing', async (_, meddle) => {
    await makeEmbedded();
    expect((await refusal(() => copy({ meddle }))).message).toMatch(/^the \d+ rows of \w+ arrived .*; nothing was copied$/);
    await assertNothingArrived();
  });

  it('copies nothing when the target is lost, and reports it', async () => {
    await makeEmbedded();
    const killed = copy({
      meddle: (tables) => ({
        ...tables,
        insert: async (table, rows) => {
          if (table.name === 'journal') await postgres.stop('immediate');
          return tables.insert(table, rows);
        },
      }),
    });
    expect((await refusal(() => killed)).code).toBe('unavailable');
    await postgres.start();
    await assertNothingArrived();
    await copy();
  });
});
