// Stored Secrets as a sealed part of a store, page by page: which key they are sealed with, and sealing them with another one.
import { isUnavailable } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { ListCursor } from '../store/list-order.ts';
import type { Store, StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { SealedPart } from './sealed-part.ts';
import { sealedKeyId, type SecretBox } from './secret-box.ts';
import { openSecretSpec, SECRET_KIND, sealSecretSpec } from './secret-data.ts';

const PAGE = 200;

const valuesOf = (secret: StoredObject): string[] => Object.values(specOf('Secret', secret).data);

async function* pages(reader: StoreReader): AsyncGenerator<readonly StoredObject[]> {
  for (let after: ListCursor | undefined; ;) {
    const page = await reader.listObjects({ kind: SECRET_KIND, limit: PAGE, ...(after && { after }) });
    yield page;
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) return;
  }
}

/** Opens each value: with `adopt` an unsealed one is accepted unchanged. */
function resealed(box: SecretBox, object: StoredObject, { keyId, adopt }: { keyId: string; adopt: boolean }): StoredObject {
  const opening: Pick<SecretBox, 'open'> = {
    open: (identity, stored) => (adopt && sealedKeyId(stored) === undefined ? stored : box.open(identity, stored)),
  };
  return { ...object, spec: sealSecretSpec(box, object, openSecretSpec(opening, object, object.spec), keyId) };
}

export function storedSecrets(box: SecretBox): SealedPart {
  return {
    async sealedWith(reader) {
      for await (const page of pages(reader)) {
        const keyId = page
          .flatMap(valuesOf)
          .map(sealedKeyId)
          .find((id) => id !== undefined);
        if (keyId !== undefined) return keyId;
      }
      return undefined;
    },
    isAdoptable: () => Promise.resolve(true),
    async reseal(tx, options) {
      for await (const page of pages(tx)) await resealPage(tx, box, { ...options, due: page });
      return {};
    },
  };
}

export interface ResealProgress {
  readonly seen: number;
  readonly resealed: number;
  /** `namespace/name` of Secrets that no key opens, or that are not sealed: left as they are. */
  readonly left: readonly string[];
}

/** Seals every Secret that another key sealed with this one, and changes nothing else of it. Safe to run again, and beside writers. */
export async function resealSecrets(
  store: Store,
  box: SecretBox,
  { keyId, adopt, onProgress }: { keyId: string; adopt: boolean; onProgress: (progress: ResealProgress) => void },
): Promise<ResealProgress> {
  let progress: ResealProgress = { seen: 0, resealed: 0, left: [] };
  for await (const page of pages(store)) {
    const due = page.filter((each) => valuesOf(each).some((value) => sealedKeyId(value) !== keyId));
    const outcomes = due.length > 0 ? await transactAgain(store, (tx) => resealPage(tx, box, { due, keyId, adopt })) : [];
    progress = {
      seen: progress.seen + page.length,
      resealed: progress.resealed + outcomes.filter((outcome) => outcome === 'resealed').length,
      left: [...progress.left, ...outcomes.filter((outcome) => outcome !== 'resealed' && outcome !== 'gone')],
    };
    onProgress(progress);
  }
  return progress;
}

interface DuePage {
  readonly due: readonly StoredObject[];
  readonly keyId: string;
  readonly adopt: boolean;
}

/** For each Secret `resealed`, `gone`, or its name where it was left. */
async function resealPage(tx: StoreTransaction, box: SecretBox, { due, keyId, adopt }: DuePage): Promise<string[]> {
  const outcomes: string[] = [];
  for (const { kind, namespace, name } of due) {
    const object = await tx.getObjectForUpdate({ kind, namespace, name });
    const next = object && tryReseal(box, object, { keyId, adopt });
    if (next) await tx.rewriteObject(next);
    outcomes.push(next ? 'resealed' : object ? `${namespace}/${name}` : 'gone');
  }
  return outcomes;
}

function tryReseal(box: SecretBox, object: StoredObject, options: { keyId: string; adopt: boolean }): StoredObject | undefined {
  try {
    return resealed(box, object, options);
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}
