// Texts that a person began to change at breakpoints of a run, until they are sent or discarded. Kept in this page only: a reload discards
// them.
import { useCallback, useState } from 'react';
import { LRUCache } from 'lru-cache';

export type StopEdits = ReadonlyMap<string, string>;

/** Runs with such texts; the least recently left one is discarded first. */
const RUNS_MAX = 50;

const begun = new LRUCache<string, StopEdits>({ max: RUNS_MAX });

/** By the id of the stop; undefined removes a text. */
export function useStopEdits(uid: string): readonly [StopEdits, (stop: string, text: string | undefined) => void] {
  const [edits, setEdits] = useState<StopEdits>(() => begun.get(uid) ?? new Map());
  const set = useCallback(
    (stop: string, text: string | undefined) =>
      setEdits((before) => {
        const next = new Map(before);
        if (text === undefined) next.delete(stop);
        else next.set(stop, text);
        begun.set(uid, next);
        return next;
      }),
    [uid],
  );
  return [edits, set];
}
