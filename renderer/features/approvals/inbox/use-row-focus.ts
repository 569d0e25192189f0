// Moves the focus to the row of the open item, when keys have moved there. A virtual list may render the row a moment later.
import { useEffect, type RefObject } from 'react';

export interface RowFocus {
  readonly list: RefObject<HTMLElement | null>;
  readonly current: string | undefined;
  /** True once when focus is requested for the row of this key. */
  readonly takeRowFocus: (key: string) => boolean;
}

export function useRowFocus({ list, current, takeRowFocus }: RowFocus): void {
  useEffect(() => {
    if (current === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(current)}"]`);
    if (row && takeRowFocus(current)) row.focus({ preventScroll: true });
  });
}
