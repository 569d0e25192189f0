// Moves a store to the newest key: from one commit on everything new is sealed with it, then what is stored is sealed again, page by page.
// Safe to run beside servers and to run again after a failure.
import { ServiceError } from '@svc/shared/errors';
import type { Store } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { createKeyCheck, refuseOtherKey } from './key-check.ts';
import type { SealedPart } from './sealed-part.ts';
import type { SecretBox } from './secret-box.ts';
import { lockStoreKey, otherKeySentence, readStoreKey, writeStoreKey, type StoreNote } from './store-key.ts';
import { resealSecrets, storedSecrets, type ResealProgress } from './stored-secrets.ts';

export interface RotationOptions {
  readonly store: Store;
  readonly box: SecretBox;
  /** Sealed data beside Secrets: small, and moved in the commit that changes the store's key. */
  readonly others: readonly SealedPart[];
}

export interface RotationRun {
  /** Accepts unencrypted values unchanged: the operator vouches for them. */
  readonly adopt: boolean;
  readonly onProgress: (progress: ResealProgress) => void;
}

export interface Rotation extends ResealProgress {
  readonly keyId: string;
}

const UNKNOWN: StoreNote = { decisionKey: undefined, previous: [] };

/** Rejects with `conflict` when the keys given do not open the store. Secrets that no key opens are left, and need their key as before. */
export async function rotateKeys({ store, box, others }: RotationOptions, { adopt, onProgress }: RotationRun): Promise<Rotation> {
  const keyId = box.keyId;
  if (keyId === undefined)
    throw new ServiceError('invalid', 'option --secret-encryption-key is required: the newest key first, then those in use');
  const verdict = await createKeyCheck({ store, box, parts: [storedSecrets(box), ...others] }).settle();
  if (!(adopt && verdict.kind === 'unsealed')) refuseOtherKey(verdict);
  await transactAgain(store, async (tx) => {
    const stored = await lockStoreKey(tx, box);
    if (stored && stored.note === undefined) throw new ServiceError('conflict', otherKeySentence(stored.keyId, box));
    let note = stored?.note ?? UNKNOWN;
    for (const part of others) note = { ...note, ...(await part.reseal(tx, { keyId, adopt })) };
    const used = [...note.previous, ...(stored ? [stored.keyId] : [])].filter((id) => id !== keyId);
    await writeStoreKey(tx, box, { keyId, note: { ...note, previous: [...new Set(used)] } });
  });
  const progress = await resealSecrets(store, box, { keyId, adopt, onProgress });
  if (progress.left.length === 0) await endRotation(store, box, keyId);
  return { ...progress, keyId };
}

/** From then on the earlier keys are no longer needed. */
async function endRotation(store: Store, box: SecretBox, keyId: string): Promise<void> {
  await transactAgain(store, async (tx) => {
    const stored = await lockStoreKey(tx, box);
    if (stored?.keyId !== keyId || !stored.note || stored.note.previous.length === 0) return;
    await writeStoreKey(tx, box, { keyId, note: { ...stored.note, previous: [] } });
  });
}

/** Whether a rotation has to begin or continue before the newest key is enough. */
export async function isRotationDue({ store, box }: Pick<RotationOptions, 'store' | 'box'>): Promise<boolean> {
  const stored = await readStoreKey(store, box);
  return stored?.note !== undefined && (stored.keyId !== box.keyId || stored.note.previous.length > 0);
}

/** The outcome in one or two sentences, without a value. */
export function rotationSentence({ keyId, seen, resealed, left }: Rotation): string {
  const done = `Re-encrypted ${resealed} of ${seen} Secrets with key ${keyId}; the decision key is encrypted with it as well.`;
  if (left.length === 0) return `${done} Earlier keys are no longer needed.`;
  const named = left.slice(0, 5).join(', ') + (left.length > 5 ? ` and ${left.length - 5} more` : '');
  return (
    `${done} ${left.length} are left as they were, because no key given opens them or they are not encrypted: ${named}. ` +
    'Write them again or delete them, then run svcd rotate-secrets; until then every process needs the earlier keys too.'
  );
}
