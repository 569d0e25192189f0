// How a list was left: where it was scrolled to and which row was active. Back and Forward show it so again, while the console is not reloaded.
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { LRUCache } from 'lru-cache';
import { useNavigation, type HistoryEntry } from './navigation.ts';
import type { Place } from './use-active-row.ts';

interface ListLook {
  readonly scrollTop: number;
  readonly place: Place;
}

const KEPT_MAX = 100;
/** By entry of the history and name of the list. */
const looks = new LRUCache<string, ListLook>({ max: KEPT_MAX });

const keyOf = (entry: HistoryEntry, label: string): string => `${entry.key} ${label}`;

function keep(key: string, look: ListLook): void {
  looks.set(key, look);
}

/** How the list looked when this entry of the history was left; undefined at the first visit. */
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

/** Shows the list as it looked before once its rows are there, with the focus at its row unless something else has it, and notes how it looks from then on. */
export function useListMemory({ label, scroller, place }: ListMemory, before: ListLook | undefined): void {
  const { entry } = useNavigation();
  const [pathname] = useState(() => entry?.().pathname);
  const restored = useRef(before === undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    // Rows come onto the page once the height of the list is known.
    const row = place && element?.querySelector<HTMLElement>(`[data-index="${place.index}"]`);
    if (restored.current || !before || !element || !row) return;
    restored.current = true;
    element.scrollTop = before.scrollTop;
    if (document.activeElement?.contains(element)) row.focus({ preventScroll: true });
  });
  useEffect(() => {
    // While another page is on its way the address is that page's already.
    const here = entry?.();
    if (here?.pathname === pathname && here !== undefined && place && scroller.current)
      keep(keyOf(here, label), { scrollTop: scroller.current.scrollTop, place });
  });
}
