// Keys of the first list of a page from the first press: while nothing else uses them, J, K, H, L, arrows, X and Space bring the focus into it.
import { useEffect, type RefObject } from 'react';

/** Marks lists that take part. */
export const PAGE_LIST = { 'data-page-list': '' } as const;

const LETTERS = ['j', 'k', 'h', 'l', 'x', 'X'];
/** Other elements use these too: only a press that nothing has the focus for is taken. */
const OTHERS = ['ArrowDown', 'ArrowUp', ' '];
/** Keys that act on the row; the others only bring the focus to it. */
const ACTING = ['x', 'X', ' '];

const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"]';
const OWN_KEYS = '[role="grid"], [role="treegrid"], [role="menu"], [role="listbox"], [role="dialog"], [role="slider"], [role="separator"]';

function isFree(target: Element, key: string): boolean {
  if (target.closest(`${TYPING}, ${OWN_KEYS}`)) return false;
  return LETTERS.includes(key) || target === document.body || target.matches('main, h1, h2, [role="tabpanel"]');
}

function isFirst(list: HTMLElement): boolean {
  const open = document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"]');
  return open === null && document.querySelector('[data-page-list]') === list;
}

/** `active`: the row that gets the focus; -1 without rows. */
export function usePageKeys(list: RefObject<HTMLElement | null>, active: number, focusRow: (index: number) => void): void {
  useEffect(() => {
    if (active < 0) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target, shiftKey } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!LETTERS.includes(key) && !OTHERS.includes(key)) return;
      if (list.current === null || !(target instanceof Element) || !isFree(target, key) || !isFirst(list.current)) return;
      event.preventDefault();
      focusRow(active);
      if (!ACTING.includes(key)) return;
      // The row gets the focus in the next frame.
      requestAnimationFrame(() => {
        const row = list.current?.contains(document.activeElement) ? document.activeElement : null;
        row?.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true }));
      });
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [list, active, focusRow]);
}
