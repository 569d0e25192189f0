// Undo of the last apply of a system with its drafts. In memory, and outside of the page: a new system gets a new page.
import { Store, useStore } from '../../../ui/store.ts';

export interface LastApply {
  /** `namespace/name` of the system. */
  readonly system: string;
  /** Number of its objects. */
  readonly count: number;
  readonly undo: () => void;
}

const last = new Store<LastApply | undefined>(undefined);

export function keepLastApply(applied: LastApply | undefined): void {
  last.set(applied);
}

/** Undefined where another system was applied last, or nothing. */
export function useLastApply(system: string): LastApply | undefined {
  const shown = useStore(last);
  return shown?.system === system ? shown : undefined;
}
