// Takeovers to take off the count of runs that this worker lost through no fault of theirs. An outage that cost the lease still lasts then,
// so they are kept until the store takes them.
import { isUnavailable } from '@svc/shared/errors';
import type { Claim, Store, StoreTransaction, WorkItem } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

export interface LostClaims {
  /** Takes a lost claim, once each. */
  readonly add: (claim: Claim) => void;
  /** Writes all that are left. Rejects when the store does not take one; while it is unavailable they are kept for the next call. */
  readonly forgive: () => Promise<void>;
}

interface LostClaim {
  readonly claim: Claim;
  /** The item as a try found it whose outcome is not known. */
  seen?: Pick<WorkItem, 'fence' | 'takeovers'>;
}

/** Part of a transaction: takes the claim off the count of its item, unless an earlier try has done so. */
async function forgiveOnce(tx: StoreTransaction, lost: LostClaim): Promise<void> {
  const { claim, seen } = lost;
  const item = await tx.getWorkItem(claim.queue, claim.key);
  if (!item) return;
  // Each claim since then has added one takeover at most.
  if (seen && item.takeovers < seen.takeovers + item.fence - seen.fence) return;
  lost.seen = item;
  await tx.forgiveTakeover(claim);
}

export function createLostClaims(store: Pick<Store, 'transaction'>): LostClaims {
  const left: LostClaim[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const lost = next;
      try {
        await transactAgain(store, (tx) => forgiveOnce(tx, lost));
      } catch (error) {
        if (isUnavailable(error)) left.unshift(lost);
        throw error;
      }
    }
  };
  return {
    add: (claim) => void left.push({ claim }),
    forgive: () => (writing ??= writeAll().finally(() => (writing = undefined))),
  };
}
