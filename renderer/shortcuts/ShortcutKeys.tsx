// Keys of a shortcut beside its label: those the person set, or nothing where they disabled them.
import { Kbd } from '../ui/text/Kbd.tsx';
import { SHORTCUT_KEYS } from '../preferences/preferences.ts';
import { usePreference } from '../preferences/use-preferences.ts';
import { keysOf } from './registry.ts';

export interface ShortcutKeysProps {
  readonly id: string;
  /** Its default keys. */
  readonly keys: string;
  readonly className?: string;
}

/** For components that accept the keys as text only. */
export function useShortcutKeysOf(id: string, keys: string): string | undefined {
  const [own] = usePreference(SHORTCUT_KEYS);
  return keysOf({ id, keys }, own);
}

export function ShortcutKeys({ id, keys, className }: ShortcutKeysProps) {
  const shown = useShortcutKeysOf(id, keys);
  return shown === undefined ? null : <Kbd hint keys={shown} {...(className !== undefined && { className })} />;
}
