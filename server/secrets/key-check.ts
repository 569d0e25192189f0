// Whether this process can open the store's Secrets: the first process with a key leaves its id and a probe, every other compares. It never reveals a key.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { ListCursor, Store, StoreReader } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { sealedKeyId, type SecretBox } from './secret-box.ts';
import { SECRET_KIND } from './secret-data.ts';

export type KeyVerdict =
  | { readonly kind: 'usable' }
  /** Secrets are encrypted with a key that is not this process's. `ownKeyId` is undefined when it has none. */
  | { readonly kind: 'other'; readonly storeKeyId: string; readonly ownKeyId: string | undefined };

export interface KeyCheck {
  /** At the start: leaves this process's key as the store's when none is, or when no Secret is encrypted with the one that was. */
  settle(): Promise<KeyVerdict>;
  /** Looks again, changing nothing. */
  check(): Promise<KeyVerdict>;
}

const COLLECTION = 'secret-encryption';
const ID = 'key';
const PROBE_IDENTITY = { namespace: COLLECTION, name: ID, key: 'probe' };
const PROBE = Buffer.from('probe').toString('base64');
const PAGE = 200;

const USABLE: KeyVerdict = { kind: 'usable' };

interface KeyDocument {
  readonly keyId: string;
  readonly probe: string;
}

export function createKeyCheck(store: Store, box: SecretBox): KeyCheck {
  const other = (storeKeyId: string): KeyVerdict => ({ kind: 'other', storeKeyId, ownKeyId: box.keyId });

  /** False when another process has left its key since `seen` was read. */
  const leaveKey = (keyId: string, seen: KeyDocument | undefined): Promise<boolean> =>
    transactAgain(store, async (tx) => {
      if ((await readKey(tx))?.keyId !== seen?.keyId) return false;
      await tx.putDocument(COLLECTION, ID, { keyId, probe: box.seal(PROBE_IDENTITY, PROBE) });
      return true;
    });

  const settle = async (): Promise<KeyVerdict> => {
    const left = await readKey(store);
    if (left !== undefined && opens(box, left)) return USABLE;
    const sealedWith = await firstSealedWith(store);
    if (box.keyId === undefined) return sealedWith === undefined ? USABLE : other(sealedWith);
    if (sealedWith !== undefined && sealedWith !== box.keyId) return other(sealedWith);
    return (await leaveKey(box.keyId, left)) ? USABLE : settle();
  };

  return {
    settle,
    async check() {
      const left = await readKey(store);
      if (left === undefined || opens(box, left)) return USABLE;
      // Without a key Secrets stay readable as long as none is encrypted.
      const harmless = box.keyId === undefined && (await firstSealedWith(store)) === undefined;
      return harmless ? USABLE : other(left.keyId);
    },
  };
}

/** What is wrong, in one sentence with what to do; undefined when nothing is. */
export function keyProblem(verdict: KeyVerdict): string | undefined {
  if (verdict.kind === 'usable') return undefined;
  const { storeKeyId, ownKeyId } = verdict;
  const own = ownKeyId === undefined ? 'this process has no --secret-encryption-key' : `this process has key ${ownKeyId}`;
  return `Secrets in this database are encrypted with key ${storeKeyId}, but ${own}; every process on one database needs the same key`;
}

/** For a process that writes Secrets: it must not start beside a key that is not its own. Throws `conflict`. */
export function refuseOtherKey(verdict: KeyVerdict): void {
  const problem = keyProblem(verdict);
  if (problem !== undefined) throw new ServiceError('conflict', problem);
}

async function readKey(reader: StoreReader): Promise<KeyDocument | undefined> {
  const document = await reader.getDocument(COLLECTION, ID);
  return document && { keyId: String(document['keyId']), probe: String(document['probe']) };
}

function opens(box: SecretBox, { keyId, probe }: KeyDocument): boolean {
  if (keyId !== box.keyId) return false;
  try {
    return box.open(PROBE_IDENTITY, probe) === PROBE;
  } catch {
    return false;
  }
}

/** The key of the first encrypted Secret value; undefined when none is encrypted. Reads page by page. */
async function firstSealedWith(reader: StoreReader): Promise<string | undefined> {
  for (let after: ListCursor | undefined; ;) {
    const page = await reader.listObjects({ kind: SECRET_KIND, limit: PAGE, ...(after && { after }) });
    for (const { spec } of page) {
      const values = isObject(spec.data) ? Object.values(spec.data) : [];
      const keyId = values.map((value) => sealedKeyId(String(value))).find((id) => id !== undefined);
      if (keyId !== undefined) return keyId;
    }
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) return undefined;
  }
}
