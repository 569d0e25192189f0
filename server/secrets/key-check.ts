// Whether this process can open the store's sealed values: the first process with a key leaves its id and a sealed note, every other compares. It never reveals a key.
import { ServiceError } from '@svc/shared/errors';
import { StartRefused } from '../start-refused.ts';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { SealedPart } from './sealed-part.ts';
import type { SecretBox } from './secret-box.ts';
import { lockStoreKey, otherKeySentence, readStoreKey, writeStoreKey, type StoreKey, type StoreNote } from './store-key.ts';

export type KeyVerdict =
  | { readonly kind: 'usable' }
  /** The store is sealed with a key that this process does not have. `ownKeyId` is undefined when it has none. */
  | { readonly kind: 'other'; readonly storeKeyId: string; readonly ownKeyId: string | undefined }
  /** This process has a key, and the store was used without one so far that only the operator can say whether its content is to be trusted. */
  | { readonly kind: 'unsealed' };

export interface KeyCheck {
  /**
   * At the start. In a store that holds nothing sealed a process with a key seals the stored values, once, and leaves its key as the store's.
   * `takeOver` makes this process's key the store's even when the store had a different one: values sealed with that key no longer open.
   */
  settle(options?: { readonly takeOver: boolean }): Promise<KeyVerdict>;
  /** Reads one document and changes nothing. */
  check(): Promise<KeyVerdict>;
}

const USABLE: KeyVerdict = { kind: 'usable' };

export interface KeyCheckOptions {
  readonly store: Store;
  readonly box: SecretBox;
  readonly parts: readonly SealedPart[];
}

export function createKeyCheck({ store, box, parts }: KeyCheckOptions): KeyCheck {
  const other = (storeKeyId: string): KeyVerdict => ({ kind: 'other', storeKeyId, ownKeyId: box.keyId });
  const judge = (stored: StoreKey) => verdictOn(stored, box);
  return {
    async settle({ takeOver } = { takeOver: false }) {
      const stored = await readStoreKey(store, box);
      const verdict = stored && judge(stored);
      if (verdict?.kind === 'usable' || (verdict && !(takeOver && box.keyId))) return verdict;
      return transactAgain(store, async (tx) => {
        const seen = await lockStoreKey(tx, box);
        const judged = seen && judge(seen);
        if (judged?.kind === 'usable') return judged;
        const sealedWith = seen?.keyId ?? (await firstSealedWith(tx, parts));
        if (box.keyId === undefined) return sealedWith === undefined ? USABLE : other(sealedWith);
        if (sealedWith !== undefined && !box.has(sealedWith) && !takeOver) return other(sealedWith);
        if (sealedWith === undefined && !(await isAdoptable(tx, parts))) return { kind: 'unsealed' };
        await leaveKey(tx, { box, parts, sealedWith });
        return USABLE;
      });
    },
    check: () => checkKey(store, box),
  };
}

function verdictOn({ keyId, note }: StoreKey, box: SecretBox): KeyVerdict {
  const missing = note === undefined ? keyId : note.previous.find((previous) => !box.has(previous));
  return missing === undefined ? USABLE : { kind: 'other', storeKeyId: missing, ownKeyId: box.keyId };
}

/** Reads one document, in a database of any schema. */
export async function checkKey(reader: Pick<StoreReader, 'getDocument'>, box: SecretBox): Promise<KeyVerdict> {
  const stored = await readStoreKey(reader, box);
  return stored ? verdictOn(stored, box) : USABLE;
}

interface Leaving extends Omit<KeyCheckOptions, 'store'> {
  readonly sealedWith: string | undefined;
}

/** Seals plain values only in an empty store: otherwise anybody with write access to the database could have values of theirs sealed. */
async function leaveKey(tx: StoreTransaction, { box, parts, sealedWith }: Leaving): Promise<void> {
  if (box.keyId === undefined) return;
  const keyId = sealedWith !== undefined && box.has(sealedWith) ? sealedWith : box.keyId;
  const isFirst = sealedWith === undefined;
  let note: StoreNote = { decisionKey: isFirst ? null : undefined, previous: [] };
  if (isFirst) for (const part of parts) note = { ...note, ...(await part.reseal(tx, { keyId, adopt: true })) };
  await writeStoreKey(tx, box, { keyId, note });
}

async function isAdoptable(reader: StoreReader, parts: readonly SealedPart[]): Promise<boolean> {
  for (const part of parts) if (!(await part.isAdoptable(reader))) return false;
  return true;
}

async function firstSealedWith(reader: StoreReader, parts: readonly SealedPart[]): Promise<string | undefined> {
  for (const part of parts) {
    const keyId = await part.sealedWith(reader);
    if (keyId !== undefined) return keyId;
  }
  return undefined;
}

const UNSEALED =
  'this database holds decision records and was used without --secret-encryption-key until now; if that is right, seal it once: svcd rotate-secrets --adopt-unsealed';

/** The fault in one sentence, with a remedy; undefined without a fault. */
export function keyProblem(verdict: KeyVerdict): string | undefined {
  if (verdict.kind === 'usable') return undefined;
  return verdict.kind === 'unsealed' ? UNSEALED : otherKeySentence(verdict.storeKeyId, { keyId: verdict.ownKeyId });
}

/** For a process that writes Secrets: it must not start beside a key that is not its own. Throws `conflict`. */
export function refuseOtherKey(verdict: KeyVerdict): void {
  const problem = keyProblem(verdict);
  if (problem !== undefined) throw new StartRefused('OTHER_KEY', problem, { code: 'conflict' });
}

/** For a readiness check. Throws `unavailable`; a store that does not answer is for its own check to report. */
export async function requireKey(keyCheck: KeyCheck): Promise<void> {
  const problem = keyProblem(await keyCheck.check().catch(() => USABLE));
  if (problem !== undefined) throw new ServiceError('unavailable', problem);
}
