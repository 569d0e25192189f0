// Parts of a store that hold sealed values, as the check of keys and their rotation need them: Secrets, the decision key.
import type { StoreReader, StoreTransaction } from '../store/store.ts';

export interface SealedPart {
  /** The key of the first sealed value; undefined when none is sealed. */
  sealedWith(reader: StoreReader): Promise<string | undefined>;
  /** Whether values that are not sealed may be taken when a key is first set. */
  isAdoptable(reader: StoreReader): Promise<boolean>;
  /** Seals what is not sealed, with this key: when a key is first set, or at the operator's word. */
  adopt(tx: StoreTransaction, keyId: string): Promise<void>;
}
