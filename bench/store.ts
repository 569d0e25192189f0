// Each store beside its bare database with the same durability: commits, list pages and journal appends as they grow.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../server/clock.ts';
import { openConnection } from '../server/store/sqlite/connection.ts';
import type { Connection } from '../server/store/sqlite/connection.ts';
import type { Claim, NewJournalEntry, Store } from '../server/store/store.ts';
import { bareCommitsPerSecond } from '../server/testing/postgres-commits.ts';
import { capabilities } from './claim.ts';
import { postgres, storeEngines, type StoreEngine } from './engines.ts';
import { FILLER, makeObject, now, seed } from './objects.ts';
import { compared, percentile } from './row.ts';
import type { Row } from './row.ts';

const WRITERS = 64;
/** As the shared store's pool has by default. */
const POOL_CONNECTIONS = 10;
const COMMIT_MS = 700;
/** Store and reference take turns, so that what else the machine does falls on both. */
const COMMIT_ROUNDS = 3;
const PAGE = 100;
const PAGE_SAMPLES = 300;
const PAGE_WARM_UP = 100;
const SMALL = 1_000;
const LARGE = 100_000;
const JOURNAL_SAMPLES = 400;
const JOURNAL_STREAMS = 40;

/** Runs `step` in a loop and returns how often per second. */
async function perSecond(step: () => Promise<number> | number): Promise<number> {
  const began = performance.now();
  let done = 0;
  while (performance.now() - began < COMMIT_MS) done += await step();
  return (done / (performance.now() - began)) * 1000;
}

/** The bare library: one table, the same bytes per row, `rows` inserts per transaction. */
function bareCommits(rows: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-bare-'));
  const connection: Connection = openConnection(join(directory, 'bare.db'));
  connection.exec('CREATE TABLE objects (kind TEXT, namespace TEXT, name TEXT, doc TEXT, PRIMARY KEY (kind, namespace, name))');
  const insert = connection.prepare('INSERT INTO objects (kind, namespace, name, doc) VALUES (?, ?, ?, ?)');
  let next = 0;
  return perSecond(() => {
    connection.begin();
    for (let i = 0; i < rows; i += 1) {
      const object = makeObject(next++);
      insert.run(object.kind, object.namespace, object.name, JSON.stringify(object));
    }
    connection.exec('COMMIT');
    return rows;
  }).finally(() => {
    connection.close();
    rmSync(directory, { recursive: true });
  });
}

/** Transactions per second of this many callers, each of which begins the next when its last is durable. */
async function transactionRate(store: Store, writers: number, write: (tx: Transaction, n: number) => Promise<void>): Promise<number> {
  let next = 0;
  const step = async () => {
    const n = next++;
    await store.transaction((tx) => write(tx, n));
    return 1;
  };
  const rates = await Promise.all(Array.from({ length: writers }, () => perSecond(step)));
  return rates.reduce((sum, rate) => sum + rate, 0);
}

type Transaction = Parameters<Parameters<Store['transaction']>[0]>[0];

/** Work of the bare database in place of one round of `writers` writers, and its name. */
async function bareRate(engine: StoreEngine, writers: number): Promise<[rate: number, name: string]> {
  if (engine.name === 'SQLite') return [await bareCommits(writers), `bare SQLite, ${writers} insert${writers === 1 ? '' : 's'} per commit`];
  const server = await postgres('bare commits');
  if (!server) throw new Error('PostgreSQL was there a moment ago');
  const connections = Math.min(writers, POOL_CONNECTIONS);
  const load = { connections, forMs: COMMIT_MS, rowCharacters: FILLER.length };
  return [
    await bareCommitsPerSecond(await server.createDatabase(), load),
    `bare insert commits, ${connections} connection${connections === 1 ? '' : 's'}`,
  ];
}

async function commitRows(engine: StoreEngine, writers: number): Promise<Row[]> {
  const objects: number[] = [];
  const documents: number[] = [];
  const bare: number[] = [];
  let referenceName = '';
  for (let round = 0; round < COMMIT_ROUNDS; round += 1) {
    objects.push(await engine.withStore((store) => transactionRate(store, writers, (tx, n) => tx.insertObject(makeObject(n)))));
    documents.push(
      await engine.withStore((store) => transactionRate(store, writers, (tx, n) => tx.putDocument('bench', String(n), { FILLER }))),
    );
    const [rate, name] = await bareRate(engine, writers);
    bare.push(rate);
    referenceName = name;
  }
  const row = { unit: '/s', reference: percentile(bare, 50), referenceName };
  const by = `${writers} writer${writers === 1 ? '' : 's'}`;
  return [
    compared({
      ...row,
      name: `${engine.prefix}: commits, ${by}`,
      value: percentile(objects, 50),
      note: 'an object with 3 terms and its change record, durable',
    }),
    compared({
      ...row,
      name: `${engine.prefix}: commits without a change, ${by}`,
      value: percentile(documents, 50),
      note: 'a document, durable',
    }),
  ];
}

const seedObjects = (store: Store, range: readonly [number, number]): Promise<void> =>
  seed(store, range, (tx, i) => tx.insertObject(makeObject(i)));

const PAGE_NAMES = [`page of ${PAGE} by name`, `page of ${PAGE} by phase, newest first`, 'page of 40 by label'];

/** One page from the middle of the list: by name, by phase and -createdAt, and by a label. */
function pageReads(store: Store, total: number): (() => Promise<unknown>)[] {
  const middle = makeObject(Math.floor(total / 2));
  const after = { namespace: middle.namespace, name: middle.name, createdAt: middle.createdAt };
  const base = { kind: 'Task', namespace: 'default', limit: PAGE, after } as const;
  const label = { op: 'eq', key: 'app', value: 'app-3' } as const;
  const phase = { path: 'status.phase', op: 'eq', value: 'Pending' } as const;
  return [
    () => store.listObjects(base),
    () => store.listObjects({ ...base, order: '-createdAt', fields: [phase] }),
    () => store.listObjects({ ...base, labels: [label], limit: 40 }),
  ];
}

async function elapsedUs(step: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await step();
  return (performance.now() - began) * 1000;
}

/** Medians of two reads that take turns. */
async function inTurns(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<[number, number]> {
  const taken: [number[], number[]] = [[], []];
  for (let i = 0; i < PAGE_WARM_UP + PAGE_SAMPLES; i += 1) {
    const [one, other] = [await elapsedUs(first), await elapsedUs(second)];
    if (i < PAGE_WARM_UP) continue;
    taken[0].push(one);
    taken[1].push(other);
  }
  return [percentile(taken[0], 50), percentile(taken[1], 50)];
}

async function pageRows({ prefix, withStore }: StoreEngine): Promise<Row[]> {
  return withStore((few) =>
    withStore(async (many) => {
      await seedObjects(few, [0, SMALL]);
      await seedObjects(many, [0, LARGE]);
      const [small, large] = [pageReads(few, SMALL), pageReads(many, LARGE)];
      const rows: Row[] = [];
      for (const [i, read] of large.entries()) {
        const [value, reference] = await inTurns(read, small[i] ?? read);
        const name = `${prefix}: ${PAGE_NAMES[i]}, 100 k objects`;
        rows.push(compared({ name, value, unit: 'µs', reference, referenceName: '1 k objects', note: 'aim: ratio within 1.5' }));
      }
      return rows;
    }),
  );
}

const entry: NewJournalEntry = { type: 'model.completed', timestamp: now, data: { content: FILLER } };

/** Streams of `length - 1` entries, and how to time the next append to the i-th sample's stream, in a transaction of its own, in µs. */
async function journalStreams(store: Store, length: number): Promise<(i: number) => Promise<number>> {
  const claims: Claim[] = [];
  for (let i = 0; i < JOURNAL_STREAMS; i += 1) {
    const key = `run-${length}-${i}`;
    await store.transaction(async (tx) => {
      await tx.enqueueWork({ queue: key, key, namespace: 'default', name: key, rank: 0, notBefore: 0, requirements: {} });
      const query = { queue: key, owner: 'bench', now: systemClock.now(), leaseMs: 3_600_000, limit: 1, capabilities };
      const [claim] = await tx.claimWork(query);
      if (!claim) throw new Error('the item just enqueued was not claimable');
      const entries = Array.from({ length: length - 1 }, () => entry);
      await tx.appendJournal(claim, 0, entries);
      claims.push(claim);
    });
  }
  return async (i) => {
    const claim = claims[i % JOURNAL_STREAMS];
    if (!claim) throw new Error('there is a claim for every stream');
    const lastSeq = length - 1 + Math.floor(i / JOURNAL_STREAMS);
    const began = performance.now();
    await store.transaction((tx) => tx.appendJournal(claim, lastSeq, [entry]));
    return (performance.now() - began) * 1000;
  };
}

async function journalRow({ prefix, withStore }: StoreEngine): Promise<Row> {
  return withStore(async (store) => {
    const appendEarly = await journalStreams(store, 10);
    const appendLate = await journalStreams(store, 1_000);
    const early: number[] = [];
    const late: number[] = [];
    for (let i = 0; i < JOURNAL_SAMPLES; i += 1) {
      early.push(await appendEarly(i));
      late.push(await appendLate(i));
    }
    return compared({
      name: `${prefix}: journal append at entry 1000`,
      value: percentile(late, 50),
      unit: 'µs',
      reference: percentile(early, 50),
      referenceName: 'entry 10',
      note: 'one durable commit each; aim: ratio within 1.5',
    });
  });
}

async function storeRows(engine: StoreEngine): Promise<Row[]> {
  return [...(await commitRows(engine, 1)), ...(await commitRows(engine, WRITERS)), ...(await pageRows(engine)), await journalRow(engine)];
}

/** All figures of each store on its own. */
export async function benchStore(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('store')) rows.push(...(await storeRows(engine)));
  return rows;
}
