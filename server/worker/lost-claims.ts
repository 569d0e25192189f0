// Takeovers to take off the count of runs that this worker lost through no fault of theirs. An outage that cost the lease still lasts then,
// so they are kept until the store takes them.
import { isUnavailable } from '@svc/shared/errors';
import type { Claim, Store } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

export interface LostClaims {
  /** Takes a lost claim, once each. */
  readonly add: (claim: Claim) => void;
  /** Writes all that are left. Rejects when the store does not take one; while it is unavailable they are kept for the next call. */
  readonly forgive: () => Promise<void>;
}

export function createLostClaims(store: Pick<Store, 'transaction'>): LostClaims {
  const left: Claim[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    for (let claim = left.shift(); claim; claim = left.shift()) {
      const lost = claim;
      try {
        await transactAgain(store, (tx) => tx.forgiveTakeover(lost));
      } catch (error) {
        if (isUnavailable(error)) left.unshift(lost);
        throw error;
      }
    }
  };
  return {
    add: (claim) => void left.push(claim),
    forgive: () => (writing ??= writeAll().finally(() => (writing = undefined))),
  };
}
