// Moves the focus to the row that asks for it. A virtual list may render the row a moment later.
import { useEffect, type RefObject } from 'react';

export interface RowFocus {
  /** Key of the row that should have the focus. */
  readonly wanted: () => string | undefined;
  readonly taken: () => void;
}

export function useRowFocus(list: RefObject<HTMLElement | null>, { wanted, taken }: RowFocus): void {
  useEffect(() => {
    const key = wanted();
    if (key === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (!row) return;
    row.focus({ preventScroll: true });
    taken();
  });
}
