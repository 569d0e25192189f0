// A process that writes to an embedded store until it is killed: `store-writer.ts <database file> <prefix>`.
// After each acknowledged transaction it prints `<object name> <version>`.
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { systemClock, timestamp } from '../clock.ts';
import type { Claim, Store } from '../store/store.ts';
import { makeItem, makeObject } from './store-conformance/fixture.ts';

const WRITERS = 8;
const LEASE_MS = 3_600_000;

const waiting = new Int32Array(new SharedArrayBuffer(4));

/** Before the next transaction begins. A pipe takes a line whole or, while its reader is busy and it is full, not at all. */
function acknowledge(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(waiting, 0, 0, 1);
    }
  }
}

/** Every version of the object comes with one journal entry, in one transaction: a reader that finds one without the other found a torn write. */
async function writeOn(store: Store, name: string): Promise<never> {
  const object = makeObject({ name, labels: { writer: name } });
  const claim = await store.transaction(async (tx): Promise<Claim> => {
    await tx.insertObject(object);
    await tx.enqueueWork(makeItem({ queue: name, key: name }));
    const now = systemClock.now();
    const capabilities = { gpu: false, supportedModels: [], secrets: true };
    const [first] = await tx.claimWork({ queue: name, owner: name, now, leaseMs: LEASE_MS, limit: 1, capabilities });
    if (!first) throw new Error('the item just enqueued was not claimable');
    await tx.appendJournal(first, 0, [{ type: 'created', timestamp: object.createdAt, data: {} }]);
    return first;
  });
  for (let version = 1; ; version += 1) {
    acknowledge(`${name} ${version}\n`);
    await store.transaction(async (tx) => {
      const updatedAt = timestamp(systemClock.now());
      await tx.updateObject({ ...object, resourceVersion: version + 1, updatedAt, status: { phase: version % 2 ? 'Running' : 'Pending' } });
      await tx.appendJournal(claim, version, [{ type: 'updated', timestamp: updatedAt, data: { version: version + 1 } }]);
    });
  }
}

/** A neighbour whose transactions always fail: its rollbacks must not tear the others' writes. */
async function failOn(store: Store, prefix: string): Promise<never> {
  for (;;) {
    await store
      .transaction(async (tx) => {
        await tx.insertObject(makeObject({ name: `${prefix}-never` }));
        throw new Error('changed its mind');
      })
      .catch(() => undefined);
  }
}

const [path, prefix] = process.argv.slice(2);
if (path === undefined || prefix === undefined) throw new Error('usage: store-writer.ts <database file> <prefix>');
const store = await openSqliteStore({ path, clock: systemClock });
await Promise.all([...Array.from({ length: WRITERS }, (_, i) => writeOn(store, `${prefix}-${i}`)), failOn(store, prefix)]);
