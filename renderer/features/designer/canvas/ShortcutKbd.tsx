// The keys of a shortcut as the person has set them, or nothing where they removed them.
import { SHORTCUT_KEYS } from '../../../preferences/preferences.ts';
import { keysOf, type Shortcut } from '../../../shortcuts/registry.ts';
import { usePreference } from '../../../preferences/use-preferences.ts';
import { Kbd } from '../../../ui/text/Kbd.tsx';

export function useKeysOf(): (shortcut: Pick<Shortcut, 'id' | 'keys'>) => string | undefined {
  const [own] = usePreference(SHORTCUT_KEYS);
  return (shortcut) => keysOf(shortcut, own);
}

/** `before` is shown in front of the keys, if there are any. */
export function ShortcutKbd({ shortcut, before }: { readonly shortcut: Pick<Shortcut, 'id' | 'keys'>; readonly before: string }) {
  const keys = useKeysOf()(shortcut);
  if (keys === undefined) return null;
  return (
    <>
      {before} <Kbd keys={keys} />
    </>
  );
}
