// All shortcuts with the person's own keys, and functions to change those.
import { SHORTCUT_KEYS } from '../preferences/preferences.ts';
import { usePreference } from '../preferences/use-preferences.ts';
import { useStore } from '../ui/store.ts';
import { shortcuts, type Shortcut } from './registry.ts';

export interface OwnKeys {
  readonly shortcuts: readonly Shortcut[];
  /** By the shortcut's id. */
  readonly own: Readonly<Record<string, string>>;
  readonly change: (id: string, keys: string) => void;
  readonly reset: (id: string) => void;
  readonly resetAll: () => void;
}

export function useOwnKeys(): OwnKeys {
  const [own, setOwn] = usePreference(SHORTCUT_KEYS);
  return {
    shortcuts: useStore(shortcuts),
    own,
    change: (id, keys) => setOwn((mine) => ({ ...mine, [id]: keys })),
    reset: (id) => setOwn((mine) => Object.fromEntries(Object.entries(mine).filter(([key]) => key !== id))),
    resetAll: () => setOwn({}),
  };
}
