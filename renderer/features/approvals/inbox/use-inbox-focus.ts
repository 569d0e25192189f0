// Focus in the inbox: to the next approval after a decision, along the rows when keys move there.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';

export function focusDecision(): boolean {
  const title = document.querySelector<HTMLElement>('[data-decision-title]');
  title?.focus();
  return title !== null;
}

export interface InboxFocusOptions {
  readonly wide: boolean;
  /** Key of the open item; empty for nothing. */
  readonly current: string;
  /** Changes when the open item is loaded; undefined before. */
  readonly ready: string | undefined;
}

export function useInboxFocus({ wide, current, ready }: InboxFocusOptions) {
  const wantsDecision = useRef(false);
  const requestedRow = useRef<string>(undefined);
  const last = useRef(current);
  // Without room for both, the focus moves to the opened item, and back to its row. A layout effect, because the list reads the request
  // in an effect of its own.
  useLayoutEffect(() => {
    const left = last.current;
    last.current = current;
    if (wide || left === current) return;
    if (current !== '') wantsDecision.current = true;
    else if (!wantsDecision.current) requestedRow.current = left;
  }, [wide, current]);
  useEffect(() => {
    if (!wantsDecision.current) return;
    if (current === '') document.getElementById('main')?.focus({ preventScroll: true });
    else if (ready === undefined || !focusDecision()) return;
    wantsDecision.current = false;
  }, [current, ready]);
  return {
    /** To the open item: now, or when it is loaded. */
    readDecision: useCallback(() => {
      wantsDecision.current = ready === undefined || !focusDecision();
    }, [ready]),
    /** Moves the focus to the decision of the next opened item. */
    wantDecision: useCallback(() => void (wantsDecision.current = true), []),
    /** Moves the focus to the item's row, so that screen readers read it and Enter opens it; without room for rows, to the decision. */
    wantMoved: useCallback(
      (key: string) => {
        wantsDecision.current = !wide;
        if (wide) requestedRow.current = key;
      },
      [wide],
    ),
    rowFocus: useMemo(
      () => ({
        wanted: () => requestedRow.current,
        taken: () => void (requestedRow.current = undefined),
      }),
      [],
    ),
  };
}
