// Upgrade of a database by a server with the wrong key.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../app.ts';
import { parseInvocation } from '../config.ts';
import { createLogger } from '../log/log.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { writeStoreKey } from '../secrets/store-key.ts';
import { openConnection } from '../store/sqlite/connection.ts';
import { migrate, readSchemaVersion } from '../store/sqlite/migrate.ts';
import { migrations } from '../store/sqlite/migrations/list.ts';
import { DATABASE_FILE } from '../store/sqlite/open.ts';
import { documentStatements } from '../store/sqlite/statements/documents.ts';

const RIGHT = 'ab'.repeat(32);
const WRONG = 'cd'.repeat(32);

test('a server with the wrong key refuses an older database without an upgrade, and the right one upgrades it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-upgrade-key-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const path = join(dataDir, DATABASE_FILE);
  const using = <T>(run: (connection: ReturnType<typeof openConnection>) => T): T => {
    const connection = openConnection(path);
    try {
      return run(connection);
    } finally {
      connection.close();
    }
  };
  const box = createSecretBox(RIGHT);
  using((connection) => {
    migrate(connection, migrations.slice(0, -1));
    const documents = documentStatements(connection);
    const tx = { putDocument: async (...document: Parameters<typeof documents.put>) => documents.put(...document) };
    void writeStoreKey(tx as never, box, { keyId: box.keyId ?? '', note: { decisionKey: null, previous: [] } });
  });
  const start = (key: string) => {
    const invocation = parseInvocation(['--addr', '127.0.0.1:0', '--data-dir', dataDir], { SVC_SECRET_ENCRYPTION_KEY: key });
    if (invocation.kind !== 'serve') throw new Error('these flags start no server');
    return startServer(invocation.config, createLogger({ level: 'silent', format: 'json' }));
  };
  const version = () => using((connection) => readSchemaVersion(connection, migrations));
  const backups = async () => (await readdir(dataDir)).filter((name) => name.endsWith('.backup')).length;

  await expect(start(WRONG)).rejects.toThrow(`Secrets in this database are encrypted with key ${box.keyId}`);
  expect([version(), await backups()]).toEqual([migrations.length - 1, 0]);
  await (await start(RIGHT)).stop();
  expect([version(), await backups()]).toEqual([migrations.length, 1]);
});
