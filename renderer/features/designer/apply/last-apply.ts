// Undo of the last apply of a system with its drafts. In memory, and outside of the page: a new system gets a new page.
import { useSyncExternalStore } from 'react';

export interface LastApply {
  /** `namespace/name` of the system. */
  readonly system: string;
  /** Number of its objects. */
  readonly count: number;
  readonly undo: () => void;
}

let last: LastApply | undefined;
const listeners = new Set<() => void>();

export function keepLastApply(applied: LastApply | undefined): void {
  last = applied;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Undefined where another system was applied last, or nothing. */
export function useLastApply(system: string): LastApply | undefined {
  const shown = useSyncExternalStore(subscribe, () => last);
  return shown?.system === system ? shown : undefined;
}
