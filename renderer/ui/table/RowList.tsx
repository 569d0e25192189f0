// A list of rows that J, K and the arrows move through, from the first press on a page. The place of a row is its first link or button, so that
// Enter and Space do what they do there.
import { useCallback, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { rowAfterKey } from './table-model.ts';
import { PAGE_LIST, usePageKeys } from '../link/use-page-keys.ts';

export interface RowListProps {
  readonly label?: string;
  /** Its entries: `li` elements. */
  readonly children: ReactNode;
  readonly className?: string;
}

/** Rows of a page step. */
const PAGE_ROWS = 10;
const PLACE = 'a[href], button:not(:disabled), select:not(:disabled)';
const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="tree"], [role="menu"]';

export function RowList({ label, children, className }: RowListProps) {
  const list = useRef<HTMLUListElement>(null);
  const focusRow = useCallback((index: number) => list.current?.children[index]?.querySelector<HTMLElement>(PLACE)?.focus(), []);
  usePageKeys(list, 0, focusRow);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest(TYPING)) return;
    const rows = [...event.currentTarget.children];
    const at = rows.findIndex((row) => row.contains(target));
    const to = rowAfterKey(event.key, at, { count: rows.length, page: PAGE_ROWS });
    if (to === undefined) return;
    event.preventDefault();
    focusRow(to);
  };
  return (
    <ul {...PAGE_LIST} ref={list} aria-label={label} className={className} onKeyDown={onKeyDown}>
      {children}
    </ul>
  );
}
