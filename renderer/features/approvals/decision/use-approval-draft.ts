// Unsent input of a person for one approval: restored after a visit to the run or to another approval. Kept in this page only, so a reload
// discards it.
import { useCallback, useState } from 'react';
import { LRUCache } from 'lru-cache';

/** Approvals with a draft; the least recently left one is discarded first. */
const APPROVALS_MAX = 200;

const begun = new LRUCache<string, Readonly<Record<string, unknown>>>({ max: APPROVALS_MAX });

function keep(uid: string, what: string, value: unknown): void {
  begun.set(uid, { ...begun.get(uid), [what]: value });
}

/** Called when an approval is decided, which makes its draft useless. */
export function forgetBegun(uid: string): void {
  begun.delete(uid);
}

/** As `useState`, for the approval of this uid. `what` has one type in all its uses. */
export function useApprovalDraft<Value>(uid: string, what: string, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => {
    const kept = begun.get(uid);
    return kept !== undefined && what in kept ? (kept[what] as Value) : initial;
  });
  const set = useCallback(
    (next: Value) => {
      keep(uid, what, next);
      setValue(next);
    },
    [uid, what],
  );
  return [value, set];
}
