// Opening: one owner, private files, and one clear sentence for each file that cannot be used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../../clock.ts';
import { canMount, onSmallDisk } from '../../testing/small-disk.ts';
import { makeClaimQuery, makeItem, makeObject, seed } from '../../testing/store-conformance/fixture.ts';
import { openConnection } from './connection.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { openSqliteStore } from './open.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-open-'));
  path = join(directory, 'data', 'store.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (at = path) => openSqliteStore({ path: at, clock: systemClock });

async function refusal(at = path): Promise<ServiceError> {
  const error: unknown = await open(at).then(
    async (store) => {
      await store.close();
      return new Error('it opened');
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

async function makeStore(objects: number): Promise<void> {
  const store = await open();
  await seed(
    store,
    Array.from({ length: objects }, (_, i) => makeObject({ name: `t-${i}` })),
  );
  await store.close();
}

it('ends the leases of the process that owned the file before', async () => {
  const before = await open();
  const lease = { owner: 'worker-1', now: Date.now(), leaseMs: 3_600_000 };
  await before.transaction(async (tx) => {
    await tx.enqueueWork(makeItem({ notBefore: 0 }));
    await tx.claimWork(makeClaimQuery(lease));
  });
  await before.close();
  const store = await open();
  const claims = await store.transaction((tx) => tx.claimWork(makeClaimQuery({ ...lease, owner: 'worker-2' })));
  expect(claims).toMatchObject([{ owner: 'worker-2', fence: 2, takeover: true, from: { owner: 'worker-1', ended: true } }]);
  await store.close();
});

describe('files', () => {
  it('are readable by their owner only', async () => {
    const store = await open();
    await seed(store, [makeObject()]);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm', '.lock']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('are one database file once closed, with nothing left in its log', async () => {
    await makeStore(100);
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    expect(readdirSync(join(directory, 'data')).filter((name) => name.includes('journal'))).toEqual([]);
  });

  it('become private when they were not, and an existing directory is left alone', async () => {
    mkdirSync(join(directory, 'data'), { mode: 0o755 });
    chmodSync(join(directory, 'data'), 0o755);
    writeFileSync(path, '', { mode: 0o644 });
    await makeStore(1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o755);
  });

  it.skipIf(!existsSync('/proc/self'))('are refused where directories cannot be made', async () => {
    expect((await refusal('/proc/none/data/store.db')).message).toMatch(/^the database file \/proc\/none\/data\/store.db cannot be opened/);
  });

  it.skipIf(!canMount)('are refused on a full disk, which is named as the cause', async ({ skip }) => {
    const disk = join(directory, 'disk');
    await onSmallDisk({ path: disk, size: '64k', skip }, async () => {
      expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(1024 * 1024))).toThrow('ENOSPC');
      const error = await refusal(join(disk, 'data', 'store.db'));
      expect(error).toMatchObject({ fatal: 'DISK_FULL' });
      expect(error.message).toContain('is full; free some space');
    });
  });

  it.skipIf(!canMount)('are left without a copy by an upgrade for whose copy the disk has no room', async ({ skip }) => {
    const disk = join(directory, 'disk');
    await onSmallDisk({ path: disk, size: '6m', skip }, async () => {
      const old = openConnection(join(directory, 'old.db'));
      migrate(old, migrations.slice(0, 1));
      old.prepare("INSERT INTO documents VALUES ('c', 'big', ?)").run('x'.repeat(4_000_000));
      old.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      old.close();
      path = join(disk, 'store.db');
      copyFileSync(old.path, path);
      const error = await refusal();
      expect(error).toMatchObject({ fatal: 'DISK_FULL' });
      expect(error.message).toContain(`${path} has no room for the copy of about 5 MB that an upgrade makes first; free some space`);
      expect(readdirSync(disk).filter((name) => name.includes('backup'))).toEqual([]);
    });
  });

  it('in :memory: are lost after close', async () => {
    const store = await open(':memory:');
    await seed(store, [makeObject()]);
    expect(await store.listNamespaces()).toEqual(['default']);
    await store.close();
    expect(existsSync(':memory:')).toBe(false);
  });
});

describe('ownership', () => {
  it('is refused to a second opener in one sentence, and given again after close', async () => {
    const store = await open();
    expect((await refusal()).message).toBe(
      `another server is using the database ${path}; stop it, or give this one a data directory of its own`,
    );
    await seed(store, [makeObject()]);
    await store.close();
    await makeStore(0);
  });

  it('is refused while another process holds it, and free at once after that process was killed', async () => {
    await makeStore(0);
    const writer = join(import.meta.dirname, '../../testing/store-writer.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', writer, path, 'x'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect((await refusal()).message).toMatch(/^another server is using the database /);
    child.stdout.resume();
    child.kill('SIGKILL');
    await once(child, 'close');
    const store = await open();
    expect((await store.listObjects({ kind: 'Task', limit: 1 })).length).toBe(1);
    await store.close();
  });
});

describe('a file that cannot be used', () => {
  const DAMAGED = /^the database file .*store\.db is damaged or not a database; restore it from a backup or move it away$/;

  it('is refused when it holds something else', async () => {
    mkdirSync(join(directory, 'data'));
    writeFileSync(path, 'this is a text file, and it is long enough to be mistaken for a database header of one hundred bytes or more');
    const error = await refusal();
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(DAMAGED);
    expect(readFileSync(path, 'utf8')).toMatch(/^this is a text file/);
  });

  it.each([
    ['truncated', (size: number) => truncateSync(path, Math.floor(size / 2))],
    ['overwritten in its header', () => overwrite(30, 300)],
    ['overwritten in its middle', (size: number) => overwrite(Math.floor(size / 2), 20_000)],
  ])('is refused when it was %s', async (_, damage) => {
    await makeStore(2_000);
    damage(statSync(path).size);
    const error = await refusal();
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(/^the database file .*store\.db is damaged/);
    expect(error.message).not.toContain('\n');
  });

  it('is refused when it is a directory', async () => {
    mkdirSync(path, { recursive: true });
    expect((await refusal()).message).toBe(
      `the database file ${path} cannot be opened for writing; check that it is a file and its permissions`,
    );
  });

  it.each(['.lock', '-wal', '-shm'])('is refused under the name of its %s where that one cannot be written', async (suffix) => {
    await makeStore(0);
    rmSync(`${path}${suffix}`, { force: true });
    mkdirSync(`${path}${suffix}`);
    expect((await refusal()).message).toBe(
      `the database file ${path}${suffix} cannot be opened for writing; check that it is a file and its permissions`,
    );
  });

  it('is refused when it lies under a file', async () => {
    writeFileSync(join(directory, 'data'), '');
    expect((await refusal()).message).toMatch(/cannot be opened for writing/);
  });

  it('is refused when a newer server wrote it', async () => {
    await makeStore(0);
    const connection = openConnection(path);
    connection.exec('PRAGMA user_version = 999');
    connection.close();
    expect((await refusal()).message).toMatch(/has schema version 999, and this server knows versions up to \d+;/);
  });

  it('can be opened again once it is repaired: a refusal holds no lock', async () => {
    mkdirSync(join(directory, 'data'));
    writeFileSync(path, 'no database');
    appendFileSync(path, 'x'.repeat(4096));
    await refusal();
    rmSync(path);
    await makeStore(1);
  });
});

function overwrite(offset: number, length: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0x5a, offset, Math.min(bytes.length, offset + length));
  writeFileSync(path, bytes);
}
