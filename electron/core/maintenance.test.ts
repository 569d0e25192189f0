// Work on all data: alone, and never beside a server of this app or of another program.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireOwnerLock } from '../../server/store/sqlite/owner-lock.ts';
import { Maintenance, OTHER_OWNER } from './maintenance.ts';

let directory: string;
let stops: boolean;
let acted: number;
let maintenance: Maintenance;
const dataDir = () => join(directory, 'server');
const act = () => Promise.resolve((acted += 1));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-maintenance-'));
  stops = true;
  acted = 0;
  maintenance = new Maintenance({ dataDir: dataDir(), stopServer: () => Promise.resolve(stops) });
});
afterEach(() => rmSync(directory, { recursive: true }));

test('work on data that a server of another program owns is refused, and possible once that one ended', async () => {
  await maintenance.run('copying', act);
  const release = acquireOwnerLock(join(dataDir(), 'svc.db'));
  await expect(maintenance.run('resetting', act)).rejects.toThrow(OTHER_OWNER);
  expect(acted).toBe(1);
  release();
  expect(await maintenance.run('resetting', act)).toBe(2);
});

test('maintenance locks the data, so that no server starts meanwhile, and unlocks it when it fails', async () => {
  const failing = maintenance.run('restoring', () => {
    expect(() => acquireOwnerLock(join(dataDir(), 'svc.db'))).toThrow('another server is using');
    throw new Error('disk full');
  });
  await expect(failing).rejects.toThrow('disk full');
  acquireOwnerLock(join(dataDir(), 'svc.db'))();
});

test('work beside a server that does not end is refused', async () => {
  stops = false;
  await expect(maintenance.run('copying', act)).rejects.toThrow('The server did not end');
  expect([acted, existsSync(dataDir())]).toEqual([0, false]);
});

test('work beside other work is refused', async () => {
  const first = maintenance.run('copying', act);
  await expect(maintenance.run('resetting', act)).rejects.toThrow('The data is being copied: wait for the end');
  expect(await first).toBe(1);
});
