import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuth } from '../auth/create-auth.ts';
import { systemClock } from '../clock.ts';
import { createLogger } from '../log/log.ts';
import { systemContext } from '../registry/registry.ts';
import { resetAdmin } from './database-work.ts';
import { openStore } from './open-store.ts';

test('reset-admin gives an admin a new password, and refuses other names with those of the admins', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-reset-'));
  const database = { kind: 'embedded', dataDir } as const;
  const log = createLogger({ level: 'silent', format: 'json' });
  const open = () => openStore(database, { clock: systemClock, log, applicationName: 'test', listensToChanges: false });
  const first = await open();
  const { users } = await createAuth({ store: first, clock: systemClock, native: {} });
  await users.setup(systemContext, { username: 'Ann', password: 'correct horse battery' });
  await users.create(systemContext, { username: 'bob', role: 'writer' });
  await expect(resetAdmin({ database, username: 'ann' }, log)).rejects.toThrow('stop the server that uses it first');
  await first.close();
  for (const username of ['bob', 'nobody']) await expect(resetAdmin({ database, username }, log)).rejects.toThrow('the admins are Ann');
  const password = await resetAdmin({ database, username: 'ANN' }, log);
  const second = await open();
  const auth = await createAuth({ store: second, clock: systemClock, native: {} });
  const signIn = (text: string) =>
    auth.signIn({ credential: { type: 'password', username: 'ann', password: text }, requestId: 'r', clientAddress: '' });
  await expect(signIn('correct horse battery')).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await signIn(password)).toMatchObject({ identity: { name: 'Ann', role: 'admin' } });
  await second.close();
  await rm(dataDir, { recursive: true });
});
