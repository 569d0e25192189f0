// The command svcd migrate on an embedded database; the engines' own tests have the migrations.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLogger } from '../log/log.ts';
import { migrateDatabase } from './database-work.ts';
import { openStore } from './open-store.ts';

test('migrate makes the schema of an empty directory, accepts one that is up to date, and refuses one in use', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-migrate-'));
  const database = { kind: 'embedded', dataDir } as const;
  const log = createLogger({ level: 'silent', format: 'json' });
  expect(await migrateDatabase({ database }, log)).toBe(`the schema of ${dataDir} is up to date`);
  expect(await migrateDatabase({ database }, log)).toContain('up to date');
  const store = await openStore(database, { clock: systemClock, log, applicationName: 'test', listensToChanges: false });
  await expect(migrateDatabase({ database }, log)).rejects.toMatchObject({ code: 'unavailable' });
  await store.close();
  await rm(dataDir, { recursive: true });
});
