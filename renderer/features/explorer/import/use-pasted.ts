// Text and files pasted outside of a field, an editor or a dialog.
import { useEffect, useRef } from 'react';
import type { ReadFiles } from '../model/sources.ts';

const WRITING = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';

/** Calls `take` with each paste on the page. It returns true for a used paste. */
export function usePasted(take: (text: string, files: readonly File[]) => boolean, enabled = true): void {
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    if (!enabled) return;
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.closest(WRITING)) return;
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (latest.current(text, [...(event.clipboardData?.files ?? [])])) event.preventDefault();
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [enabled]);
}

export const pastedText = (text: string): ReadFiles => ({ sources: [{ name: 'Pasted text', text }], refused: [] });
