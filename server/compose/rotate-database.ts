// The rotation of encryption keys: as the command svcd rotate-secrets, and at the start of a server that owns its database alone.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../clock.ts';
import type { DatabaseConfig, RotationConfig } from '../config.ts';
import { storedDecisionKey } from '../decisions/decision-key.ts';
import { isRotationDue, rotateKeys, rotationSentence, type Rotation } from '../secrets/rotate-keys.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { ResealProgress } from '../secrets/stored-secrets.ts';
import type { Logger } from '../log/log.ts';
import type { ProcessContext } from './process-context.ts';
import { openStore } from './open-store.ts';

/** Rejects with a ServiceError, in one sentence. */
export async function rotateDatabaseKeys(
  { database, secretEncryptionKeys, adoptUnsealed: adopt }: RotationConfig,
  { log, onProgress }: { readonly log: Logger; readonly onProgress: (progress: ResealProgress) => void },
): Promise<Rotation> {
  const box = createSecretBox(...secretEncryptionKeys);
  const store = await openExisting(database, log);
  try {
    return await rotateKeys({ store, box, others: [storedDecisionKey(box)] }, { adopt, onProgress });
  } finally {
    await store.close();
  }
}

async function openExisting(database: DatabaseConfig, log: Logger): ReturnType<typeof openStore> {
  if (database.kind === 'embedded' && !existsSync(join(database.dataDir, 'svc.db')))
    throw new ServiceError('invalid', `option --data-dir: there is no database in ${database.dataDir}`);
  try {
    return await openStore(database, { clock: systemClock, log, applicationName: 'svcd rotate-secrets', hearsChanges: false });
  } catch (error) {
    if (!(error instanceof ServiceError) || database.kind === 'postgres') throw error;
    const hint = 'a server rotates the keys of its embedded database itself when it starts with the new key first';
    throw new ServiceError(error.code, `${error.message} (${hint})`, { cause: error });
  }
}

/** The only process on an embedded database needs no agreement with others. Secrets that cannot be moved do not stop the start. */
export async function rotateOwnDatabase({ config, store, secretBox: box, log }: ProcessContext): Promise<void> {
  if (config.database.kind !== 'embedded' || !(await isRotationDue({ store, box }))) return;
  const rotation = await rotateKeys({ store, box, others: [storedDecisionKey(box)] }, { adopt: false, onProgress: () => undefined });
  log[rotation.left.length > 0 ? 'error' : 'info'](rotationSentence(rotation));
}
