// Group commit under failure: a lost write is refused, a kept one is durable, and the store continues.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeObject } from '../../testing/store-conformance/fixture.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { SqliteStore } from './sqlite-store.ts';

let directory: string;
let writing: Connection;
let store: SqliteStore;
let commits: number;
let failNextCommit: Error | undefined;
/** Called before a COMMIT. */
let onCommit: () => void;

/** The real connection, with a COMMIT that can be made to fail as on a broken disk. */
function failable(connection: Connection): Connection {
  return {
    ...connection,
    prepare<Row>(sql: string) {
      const statement = connection.prepare<Row>(sql);
      if (sql !== 'COMMIT') return statement;
      const run = () => {
        const error = failNextCommit;
        failNextCommit = undefined;
        if (error) throw error;
        onCommit();
        commits += 1;
        return statement.run();
      };
      return { ...statement, run };
    },
  };
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-writer-'));
  const path = join(directory, 'store.db');
  writing = openConnection(path);
  migrate(writing, migrations);
  commits = 0;
  failNextCommit = undefined;
  onCommit = () => undefined;
  store = new SqliteStore({
    writing: failable(writing),
    reading: openConnection(path),
    nowMs: () => 0,
    index: {},
    transactionTimeMaxMs: 50,
    onClosed: () => undefined,
  });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const insert = (name: string, note = '') => store.transaction((tx) => tx.insertObject(makeObject({ name, annotations: { note } })));
const names = async () => (await store.listObjects({ kind: 'Task', limit: 1_000 })).map((o) => o.name);

describe('group commit', () => {
  it('shares one commit among concurrent transactions', async () => {
    await Promise.all(Array.from({ length: 64 }, (_, i) => insert(`t-${i}`)));
    // A commit is held open for a time, so how many it takes depends on the machine.
    expect(commits).toBeLessThan(32);
    expect(await names()).toHaveLength(64);
  });

  it.each([0.1, 50])('holds a commit open for 24 ms, whether the one before took %s ms', async (commitMs) => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    try {
      onCommit = () => void (nowMs += commitMs);
      await insert('first');
      const work = () => store.transaction(() => Promise.resolve(void (nowMs += 1)));
      await Promise.all(Array.from({ length: 48 }, work));
      expect(commits).toBe(1 + 48 / 24);
    } finally {
      clock.mockRestore();
    }
  });

  it('waits some turns of the event loop for another transaction, and no longer', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const early = insert('early');
    await turns(2);
    await Promise.all([early, insert('with it')]);
    expect(commits).toBe(1);
    const alone = insert('alone');
    await turns(5);
    expect(commits).toBe(2);
    await alone;
  });

  it('rejects the whole batch when its commit fails, leaves no gap, and continues', async () => {
    await insert('before');
    failNextCommit = new Error('disk I/O error');
    const outcomes = await Promise.allSettled([insert('a'), insert('b'), insert('before')]);
    expect(outcomes.map((o) => o.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(outcomes[2]).toMatchObject({ reason: { message: 'disk I/O error' } });
    await insert('after');
    expect(await names()).toEqual(['after', 'before']);
    expect((await store.readChanges({ after: 0, limit: 10 })).map((c) => c.seq)).toEqual([1, 2]);
    await store.checkHealth();
  });

  it('refuses writes with unavailable while the disk is full, keeps what was acknowledged, and recovers', async () => {
    await insert('before');
    const pages = writing.prepare<{ page_count: number }>('PRAGMA page_count').get()?.page_count ?? 0;
    writing.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => insert(`big-${i}`, 'x'.repeat(20_000))));
    const rejected = outcomes.filter((o) => o.status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const outcome of rejected) expect(outcome).toMatchObject({ reason: { code: 'unavailable' } });
    expect(await names()).toHaveLength(1 + outcomes.length - rejected.length);
    writing.exec('PRAGMA max_page_count = 1000000');
    await insert('later', 'x'.repeat(20_000));
    const changes = await store.readChanges({ after: 0, limit: 100 });
    expect(changes.map((c) => c.seq)).toEqual(changes.map((_, i) => i + 1));
    expect(changes.map((c) => c.name)).toContain('later');
  });

  it('writes nothing for a transaction that swallows the loss of its batch and continues', async () => {
    await insert('before');
    const pages = writing.prepare<{ page_count: number }>('PRAGMA page_count').get()?.page_count ?? 0;
    writing.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const stubborn = store.transaction(async (tx) => {
      await tx.putDocument('c', 'first', {});
      await tx.insertObject(makeObject({ name: 'big', annotations: { note: 'x'.repeat(200_000) } })).catch(() => undefined);
      await tx.putDocument('c', 'second', {}).catch(() => undefined);
    });
    await stubborn.catch(() => undefined);
    writing.exec('PRAGMA max_page_count = 1000000');
    const both = [await store.getDocument('c', 'first'), await store.getDocument('c', 'second')];
    expect(both[0] === undefined).toBe(both[1] === undefined);
    expect(await names()).toEqual(['before']);
  });
});

describe('a transaction that fails', () => {
  interface Attempt {
    readonly objects: number;
    readonly fails: boolean;
    /** Characters of each object. */
    readonly size: number;
  }
  const attempt = fc.record<Attempt>({
    objects: fc.integer({ min: 0, max: 3 }),
    fails: fc.boolean(),
    // Together some are more than a batch keeps to repeat.
    size: fc.constantFrom(1, 1, 1, 2_200_000),
  });
  let run = 0;

  it('is undone alone, whatever others share its commit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { maxLength: 8 }), async (attempts) => {
        const prefix = `r${(run += 1)}`;
        const owner = `${prefix}-events`;
        const before = (await store.changeBounds()).head;
        const outcomes = await Promise.allSettled(
          attempts.map(({ objects, fails, size }, n) =>
            store.transaction(async (tx) => {
              for (let i = 0; i < objects; i += 1) {
                await tx.insertObject(makeObject({ name: `${prefix}-${n}-${i}`, annotations: { note: 'x'.repeat(size) } }));
                await tx.appendEvents(owner, [{ type: `${n}-${i}`, timestamp: '', data: {} }]);
              }
              if (fails) throw new Error('undo');
            }),
          ),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(attempts.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
        const kept = attempts.flatMap(({ objects, fails }, n) => (fails ? [] : Array.from({ length: objects }, (_, i) => `${n}-${i}`)));
        const changes = await store.readChanges({ after: before, limit: 100 });
        expect(changes.map(({ seq, name }) => [seq, name])).toEqual(kept.map((name, i) => [before + 1 + i, `${prefix}-${name}`]));
        const { events } = await store.readEvents(owner, { after: 0, limit: 100 });
        expect(events.map(({ seq, type }) => [seq, type])).toEqual(kept.map((type, i) => [i + 1, type]));
        for (const name of kept)
          expect(await store.getObject({ kind: 'Task', namespace: 'default', name: `${prefix}-${name}` })).toBeDefined();
      }),
      { numRuns: 20 },
    );
  });

  it('does not cost the others their commit when it fails in every batch', async () => {
    const each = Array.from({ length: 60 }, (_, i) =>
      store.transaction(async (tx) => {
        await tx.insertObject(makeObject({ name: `t-${i}` }));
        if (i % 3 === 0) throw new Error('undo');
      }),
    );
    const outcomes = await Promise.allSettled(each);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
    expect(await names()).toHaveLength(40);
    expect(commits).toBeLessThan(32);
  });
});

describe('a transaction that waits for something else', () => {
  it('is rolled back after the time limit, and the others continue', async () => {
    const stuck = store.transaction(async (tx) => {
      await tx.insertObject(makeObject({ name: 'stuck' }));
      await new Promise(() => undefined);
    });
    const next = insert('next');
    await expect(stuck).rejects.toThrow('a store transaction took longer than 0.05 s and was rolled back');
    await next;
    expect(await names()).toEqual(['next']);
  });

  it('is rolled back when it waits for another transaction, which then runs', async () => {
    let inner: Promise<void> | undefined;
    const outer = store.transaction(async () => {
      inner = insert('inner');
      await inner;
    });
    await expect(outer).rejects.toMatchObject({ code: 'internal' });
    await inner;
    expect(await names()).toEqual(['inner']);
  });

  it('cannot write into a later transaction once it wakes up', async () => {
    let wake: () => void = () => undefined;
    const sleeping = new Promise<void>((resolve) => (wake = resolve));
    let late: Promise<void> | undefined;
    const stuck = store.transaction(async (tx) => {
      await sleeping;
      late = tx.insertObject(makeObject({ name: 'late' }));
      await late;
    });
    await expect(stuck).rejects.toMatchObject({ code: 'internal' });
    await store.transaction(async (tx) => {
      await tx.insertObject(makeObject({ name: 'current' }));
      wake();
      await new Promise((resolve) => setImmediate(resolve));
    });
    await expect(late).rejects.toMatchObject({ code: 'internal' });
    expect(await names()).toEqual(['current']);
  });
});
