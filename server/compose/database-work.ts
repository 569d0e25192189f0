// Work on a database outside of a server: its schema, the rotation of encryption keys (also at the start of a server that owns its database
// alone), the sealing key, the password of an admin.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import { storedPushConfigs } from '../a2a/push/records.ts';
import { createAuth } from '../auth/create-auth.ts';
import { systemClock } from '../clock.ts';
import type { DatabaseConfig } from '../config.ts';
import type { MigrateConfig, ResetAdminConfig, RotationConfig, SealKeyConfig } from '../config/maintenance.ts';
import { storedDecisionKey } from '../decisions/decision-key.ts';
import { createKeyCheck, refuseOtherKey } from '../secrets/key-check.ts';
import { isRotationDue, rotateKeys, rotationSentence, type Rotation } from '../secrets/rotate-keys.ts';
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts';
import type { SealedPart } from '../secrets/sealed-part.ts';
import { storedSecrets, type ResealProgress } from '../secrets/stored-secrets.ts';
import { createSealingKeys, storedSealingKey } from '../sealing/sealing-key.ts';
import type { SealingPublicKey } from '@svc/shared/sealing/sealing';
import type { Logger } from '../log/log.ts';
import type { ProcessContext } from './process-context.ts';
import { describeDatabase, openStore } from './open-store.ts';
import { systemContext } from '../registry/registry.ts';
import { findUser, listAdmins } from '../auth/users/user-documents.ts';

/** Brings the schema up to date: opening a store does. Returns a sentence for a person; rejects with a ServiceError, in one sentence. */
export async function migrateDatabase({ database }: MigrateConfig, log: Logger): Promise<string> {
  const store = await openStore(database, { clock: systemClock, log, applicationName: 'svcd migrate', listensToChanges: false });
  await store.close();
  return `the schema of ${Object.values(describeDatabase(database)).join()} is up to date`;
}

/** Rejects with a ServiceError, in one sentence. */
export async function rotateDatabaseKeys(
  { database, secretEncryptionKeys, adoptUnsealed: adopt }: RotationConfig,
  { log, onProgress }: { readonly log: Logger; readonly onProgress: (progress: ResealProgress) => void },
): Promise<Rotation> {
  const box = createSecretBox(...secretEncryptionKeys);
  const hint = 'a server rotates the keys of its embedded database itself when it starts with the new key first';
  const store = await openExisting(database, { log, applicationName: 'svcd rotate-secrets', hint });
  try {
    return await rotateKeys({ store, box, others: otherSealedParts(box) }, { adopt, onProgress });
  } finally {
    await store.close();
  }
}

/** The public sealing key; makes the pair when the database has none, or has to have another. Rejects with a ServiceError, in one sentence. */
export async function publicSealingKey({ database, secretEncryptionKeys, replace }: SealKeyConfig, log: Logger): Promise<SealingPublicKey> {
  const secretBox = createSecretBox(...secretEncryptionKeys);
  const hint = 'ask the server that uses it: GET /v1/sealing-key/public';
  const store = await openDatabase(database, { log, applicationName: 'svcd seal-key', hint });
  try {
    refuseOtherKey(await createKeyCheck({ store, box: secretBox, parts: sealedParts(secretBox) }).settle());
    const keys = createSealingKeys({ store, secretBox, clock: systemClock });
    return await (replace ? keys.replace() : keys.publicKey());
  } finally {
    await store.close();
  }
}

/** Admins that the refusal of another name lists. */
const ADMINS_SHOWN = 20;

/** Returns the generated password of the admin. Rejects with a ServiceError, in one sentence. */
export async function resetAdmin({ database, username }: ResetAdminConfig, log: Logger): Promise<string> {
  const store = await openExisting(database, { log, applicationName: 'svcd reset-admin', hint: 'stop the server that uses it first' });
  try {
    const { users } = await createAuth({ store, clock: systemClock, native: {} });
    const user = await findUser(store, username);
    if (user?.role !== 'admin') {
      const admins = await listAdmins(store, ADMINS_SHOWN);
      throw new ServiceError('invalid', `option --username: no admin has this name; the admins are ${admins.join(', ') || 'none'}`);
    }
    const { password = '' } = await users.resetPassword(systemContext, { username });
    return password;
  } finally {
    await store.close();
  }
}

/** Everything in a database that the encryption key seals. */
export const sealedParts = (box: SecretBox): SealedPart[] => [storedSecrets(box), ...otherSealedParts(box)];
const otherSealedParts = (box: SecretBox): SealedPart[] => [storedDecisionKey(box), storedSealingKey(box), storedPushConfigs(box)];

interface Opening {
  readonly log: Logger;
  readonly applicationName: string;
  /** For an embedded database that is in use. */
  readonly hint: string;
}

const isMissing = (database: DatabaseConfig): boolean => database.kind === 'embedded' && !existsSync(join(database.dataDir, 'svc.db'));

async function openExisting(database: DatabaseConfig, opening: Opening): ReturnType<typeof openStore> {
  if (isMissing(database))
    throw new ServiceError('invalid', `option --data-dir: there is no database in ${Object.values(describeDatabase(database)).join()}`);
  return openDatabase(database, opening);
}

/** Makes an embedded database where there is none. */
async function openDatabase(database: DatabaseConfig, { log, applicationName, hint }: Opening): ReturnType<typeof openStore> {
  if (isMissing(database)) log.warn(describeDatabase(database), 'there was no database; it is made now');
  try {
    return await openStore(database, { clock: systemClock, log, applicationName, listensToChanges: false });
  } catch (error) {
    if (!(error instanceof ServiceError) || database.kind === 'postgres') throw error;
    throw new ServiceError(error.code, `${error.message} (${hint})`, { cause: error });
  }
}

/** The only process on an embedded database needs no agreement with others. Secrets that cannot be moved do not stop the start. */
export async function rotateOwnDatabase({ config, store, secretBox: box, log }: ProcessContext): Promise<void> {
  if (config.database.kind !== 'embedded' || !(await isRotationDue({ store, box }))) return;
  const rotation = await rotateKeys({ store, box, others: otherSealedParts(box) }, { adopt: false, onProgress: () => undefined });
  log[rotation.left.length > 0 ? 'error' : 'info'](rotationSentence(rotation));
}
