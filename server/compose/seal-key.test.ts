import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptLog } from '../testing/background.ts';
import { publicSealingKey } from './database-work.ts';

test('seal-key makes the database and the key where there is none, and prints the same key from then on', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-seal-'));
  const config = { database: { kind: 'embedded', dataDir }, secretEncryptionKeys: ['ab'.repeat(32)], replace: false } as const;
  const { log } = keptLog();
  const made = await publicSealingKey(config, log);
  expect(made.publicKeyPEM).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(await publicSealingKey(config, log)).toEqual(made);
  await rm(dataDir, { recursive: true });
});
