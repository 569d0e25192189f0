// Migrations: frozen once released, all or nothing, backed up, never backwards.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';

/** A released migration has run on databases we cannot see. To change the schema, append a migration and its hash. */
const RELEASED: Readonly<Record<number, string>> = {
  1: 'f87792b3a140ad9468e8638aa81f47a0d360cb2bb72ef1099c30d334c0bf8ccc',
  2: '0b627fc5cd857227a8a3c695842bab37ed15ba48e66f6fb9992d92f3fcf50ff4',
  3: '160ad5d4635d3c471ab40cfcd9691031657e1da07eccc18e017c252e85bc1ea7',
  4: '4c86a9b6295ff4ef9bf8436fe9a2402054d09c209ce500a2ede154c60bfee04d',
  5: '4bd33c6e33b33ef760288f228c4fa107885de63723289f854b20be20c1d72e50',
  6: '9406ce4f3d7cbfc529dc8c2a3f3e93a2fb6cccf554ad5333d210f688b4eb46ba',
  7: '087cce04dfa876a56503325800b79cdd7f9a5472914f559e3f7c290e89ea270d',
  8: '1119d7c8aed679dbd72a6c88f4f7df03bc3a11eeecac0f555168bfc23ee33032',
};

const first = { version: 1, name: 'first', sql: 'CREATE TABLE a (x TEXT); INSERT INTO a VALUES (1);' };
const second = { version: 2, name: 'second', sql: 'CREATE TABLE b (x TEXT);' };
const failing = { version: 3, name: 'failing', sql: 'CREATE TABLE c (x TEXT); INSERT INTO absent VALUES (1);' };

let directory: string;
let connection: Connection;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-migrate-'));
  connection = openConnection(join(directory, "it's a store.db"));
});
afterEach(() => {
  connection.close();
  rmSync(directory, { recursive: true });
});

function tables(from: Connection = connection): string[] {
  return from
    .prepare<{ name: string }>('SELECT name FROM sqlite_schema ORDER BY name')
    .all()
    .map((row) => row.name);
}

it('leaves released migrations as they are', () => {
  const hashes = migrations.map((m) => [m.version, createHash('sha256').update(m.sql).digest('hex')]);
  expect(Object.fromEntries(hashes)).toEqual(RELEASED);
});

it('reports each step of an upgrade, none for a new database', () => {
  const steps: object[] = [];
  migrate(connection, [first], (step) => steps.push(step));
  expect(steps).toEqual([]);
  migrate(connection, [first, second], (step) => steps.push(step));
  expect(steps).toEqual([
    { from: 1, to: 2, step: 0, total: 1 },
    { from: 1, to: 2, step: 1, total: 1 },
  ]);
});

it('numbers migrations 1, 2, 3, … in order', () => {
  expect(migrations.map((m) => m.version)).toEqual(migrations.map((_, i) => i + 1));
});

it('fills an empty file without a backup, and does nothing the second time', () => {
  expect(migrate(connection, [first])).toBeUndefined();
  expect(migrate(connection, [first])).toBeUndefined();
  expect(tables()).toEqual(['a']);
  expect(readdirSync(directory).filter((name) => name.endsWith('.backup'))).toEqual([]);
});

it('copies an existing database, for its owner only, before it changes it', () => {
  migrate(connection, [first]);
  const backup = migrate(connection, [first, second]);
  expect(tables()).toEqual(['a', 'b']);
  expect(backup).toBe(`${connection.path}.schema-1.backup`);
  expect(statSync(backup ?? '').mode & 0o777).toBe(0o600);
  const copy = openConnection(backup ?? '');
  expect(tables(copy)).toEqual(['a']);
  expect(copy.prepare<{ x: string }>('SELECT x FROM a').get()?.x).toBe('1');
  copy.close();
});

it('gives a copy its name only once it is whole, whatever a killed upgrade left', () => {
  migrate(connection, [first]);
  const draft = `${connection.path}.schema-1.backup.partial`;
  for (const left of [draft, `${draft}-journal`]) writeFileSync(left, 'cut off');
  const backup = migrate(connection, [first, second]) ?? '';
  expect(readdirSync(directory).filter((name) => name.includes('.backup'))).toEqual([basename(backup)]);
  const copy = openConnection(backup);
  expect(tables(copy)).toEqual(['a']);
  copy.close();
});

it('undoes a migration that fails half-way, keeps those before it, and keeps an older backup', () => {
  migrate(connection, [first]);
  expect(() => migrate(connection, [first, second, failing])).toThrow();
  expect(tables()).toEqual(['a', 'b']);
  expect(() => migrate(connection, [first, second, failing])).toThrow();
  expect(migrate(connection, [first, second])).toBeUndefined();
  expect(readdirSync(directory).filter((name) => name.endsWith('.backup'))).toHaveLength(2);
});

it('refuses a newer schema in one sentence and changes nothing', () => {
  migrate(connection, [first, second]);
  expect(() => migrate(connection, [first])).toThrow(
    `the database ${connection.path} has schema version 2, and this server knows versions up to 1; use the newer server, or restore the backup made before its upgrade`,
  );
  expect(tables()).toEqual(['a', 'b']);
});

it('refuses the database of another program', () => {
  connection.exec('CREATE TABLE bookmarks (url TEXT)');
  expect(() => migrate(connection, [first])).toThrow(/is a database of another program/);
  expect(tables()).toEqual(['bookmarks']);
});
