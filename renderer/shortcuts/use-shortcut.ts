// Registration of a page's shortcuts and actions.
import { useEffect, useRef } from 'react';
import { register, type Shortcut } from './registry.ts';

export interface ShortcutOptions extends Omit<Shortcut, 'keys' | 'group'> {
  readonly keys?: string | undefined;
  /** "This page" when absent. */
  readonly group?: string;
  /** Registered only while this is true. */
  readonly when?: boolean;
}

/** Registers while the component is mounted and `when` holds. `run` may change with each render; give `applies` a stable function. */
export function useShortcut({
  id,
  keys,
  label,
  words = '',
  group = 'This page',
  when = true,
  quiet = false,
  ...rest
}: ShortcutOptions): void {
  const { applies, run } = rest;
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!when) return;
    return register({ id, keys, label, words, group, quiet, applies, run: () => latest.current() });
  }, [id, keys, label, words, group, when, quiet, applies]);
}
