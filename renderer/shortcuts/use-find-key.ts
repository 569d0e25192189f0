// The key that leads to the search field of a page: the same one everywhere.
import { useRef, type RefObject } from 'react';
import { useShortcut } from './use-shortcut.ts';

/** The ref of the field. */
export function useFindKey(id: string, label: string): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useShortcut({ id, keys: '/', label, run: () => field.current?.select() });
  return field;
}
