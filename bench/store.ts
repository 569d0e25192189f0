// The embedded store beside the bare SQLite library with the same file settings: commits, list pages, claims and journal appends as they grow.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../server/clock.ts';
import { openConnection } from '../server/store/sqlite/connection.ts';
import type { Connection } from '../server/store/sqlite/connection.ts';
import type { Claim, NewJournalEntry, Store } from '../server/store/store.ts';
import { capabilities } from './claim.ts';
import { FILLER, makeObject, now, seed } from './objects.ts';
import { compared, percentile } from './row.ts';
import type { Row } from './row.ts';
import { withStore } from './with-store.ts';

const WRITERS = 64;
const COMMIT_MS = 700;
/** Store and reference take turns, so that what else the machine does falls on both. */
const COMMIT_ROUNDS = 3;
const PAGE = 100;
const PAGE_SAMPLES = 300;
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

async function storeCommits(writers: number): Promise<number> {
  return withStore(async (store) => {
    let next = 0;
    const insert = async () => {
      const object = makeObject(next++);
      await store.transaction((tx) => tx.insertObject(object));
      return 1;
    };
    const rates = await Promise.all(Array.from({ length: writers }, () => perSecond(insert)));
    return rates.reduce((sum, rate) => sum + rate, 0);
  });
}

async function commitRow(writers: number): Promise<Row> {
  const store: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < COMMIT_ROUNDS; round += 1) {
    store.push(await storeCommits(writers));
    bare.push(await bareCommits(writers));
  }
  return compared({
    name: `store: commits, ${writers} writer${writers === 1 ? '' : 's'}`,
    value: percentile(store, 50),
    unit: '/s',
    reference: percentile(bare, 50),
    referenceName: `bare SQLite, ${writers} insert${writers === 1 ? '' : 's'} per commit`,
    note: 'an object with 3 terms and its change record, synchronous=FULL',
  });
}

const seedObjects = (store: Store, range: readonly [number, number]): Promise<void> =>
  seed(store, range, (tx, i) => tx.insertObject(makeObject(i)));

/** Median microseconds of `step`. */
async function medianUs(samples: number, step: (i: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < samples; i += 1) {
    const began = performance.now();
    await step(i);
    taken.push((performance.now() - began) * 1000);
  }
  return percentile(taken, 50);
}

/** One page from the middle of the list, by name, by -createdAt, and by a label with an order. */
async function pageTimes(store: Store, total: number): Promise<number[]> {
  const middle = makeObject(Math.floor(total / 2));
  const after = { namespace: middle.namespace, name: middle.name, createdAt: middle.createdAt };
  const base = { kind: 'Task', namespace: 'default', limit: PAGE, after } as const;
  const label = { op: 'eq', key: 'app', value: 'app-3' } as const;
  const phase = { path: 'status.phase', op: 'eq', value: 'Pending' } as const;
  return [
    await medianUs(PAGE_SAMPLES, () => store.listObjects(base)),
    await medianUs(PAGE_SAMPLES, () => store.listObjects({ ...base, order: '-createdAt', fields: [phase] })),
    await medianUs(PAGE_SAMPLES, () => store.listObjects({ ...base, labels: [label], limit: 40 })),
  ];
}

async function benchPages(): Promise<Row[]> {
  return withStore(async (store) => {
    await seedObjects(store, [0, 1_000]);
    await pageTimes(store, 1_000);
    const small = await pageTimes(store, 1_000);
    await seedObjects(store, [1_000, 100_000]);
    await pageTimes(store, 100_000);
    const large = await pageTimes(store, 100_000);
    const names = [`page of ${PAGE} by name`, `page of ${PAGE} by phase, newest first`, 'page of 40 by label'];
    return names.map((name, i) =>
      compared({
        name: `store: ${name}, 100 k objects`,
        value: large[i] ?? Number.NaN,
        unit: 'µs',
        reference: small[i] ?? Number.NaN,
        referenceName: '1 k objects',
        note: 'aim: ratio within 1.5',
      }),
    );
  });
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

async function benchJournal(): Promise<Row> {
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
      name: 'store: journal append at entry 1000',
      value: percentile(late, 50),
      unit: 'µs',
      reference: percentile(early, 50),
      referenceName: 'entry 10',
      note: 'one durable commit each; aim: ratio within 1.5',
    });
  });
}

/** All figures of the store on its own. */
export async function benchStore(): Promise<Row[]> {
  return [await commitRow(1), await commitRow(WRITERS), ...(await benchPages()), await benchJournal()];
}
