// Last state of a list: its scroll position and active row. Back and Forward restore it, until the console is reloaded.
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { LRUCache } from 'lru-cache';
import { useNavigation, type HistoryEntry } from '../link/navigation.ts';
import type { Place } from './use-active-row.ts';

interface ListLook {
  readonly scrollTop: number;
  readonly place: Place;
}

const KEPT_MAX = 100;
/** By history entry and name of the list. */
const looks = new LRUCache<string, ListLook>({ max: KEPT_MAX });

const keyOf = (entry: HistoryEntry, label: string): string => `${entry.key} ${label}`;

function keep(key: string, look: ListLook): void {
  looks.set(key, look);
}

/** State of the list when this history entry was left; undefined at the first visit. */
export function useListBefore(label: string): ListLook | undefined {
  const { entry } = useNavigation();
  const [before] = useState(() => (entry ? looks.get(keyOf(entry(), label)) : undefined));
  return before;
}

export interface ListMemory {
  readonly label: string;
  readonly scroller: RefObject<HTMLElement | null>;
  /** The active row; undefined without rows. */
  readonly place: Place | undefined;
}

/**
 * Restores the list's state once its rows are loaded, with the focus at its row unless another element has it, and records the state from
 * then on.
 */
export function useListMemory({ label, scroller, place }: ListMemory, before: ListLook | undefined): void {
  const { entry } = useNavigation();
  const [pathname] = useState(() => entry?.().pathname);
  const restored = useRef(before === undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    // Rows are rendered once the height of the list is known.
    const row = place && element?.querySelector<HTMLElement>(`[data-index="${place.index}"]`);
    if (restored.current || !before || !element || !row) return;
    restored.current = true;
    element.scrollTop = before.scrollTop;
    if (document.activeElement?.contains(element)) row.focus({ preventScroll: true });
  });
  useEffect(() => {
    // During a navigation the address already belongs to the next page.
    const here = entry?.();
    if (here?.pathname === pathname && here !== undefined && place && scroller.current)
      keep(keyOf(here, label), { scrollTop: scroller.current.scrollTop, place });
  });
}
