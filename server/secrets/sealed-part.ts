// Parts of a store that hold sealed values, as the check of keys and their rotation need them: Secrets, the decision key.
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import type { StoreNote } from './store-key.ts';

interface Resealing {
  /** The key to seal with. */
  readonly keyId: string;
  /** Accepts unsealed values unchanged: when the first key is set, or because the operator vouches for them. */
  readonly adopt: boolean;
}

export interface SealedPart {
  /** The key of the first sealed value; undefined when none is sealed. */
  sealedWith(reader: StoreReader): Promise<string | undefined>;
  /** Whether values that are not sealed may be taken without a word of the operator when the first key is set. */
  isAdoptable(reader: StoreReader): Promise<boolean>;
  /** Seals everything in this transaction. Returns what the store's note says from then on. Throws when something was tampered with. */
  reseal(tx: StoreTransaction, options: Resealing): Promise<Partial<StoreNote>>;
}
