// Conflicts of keys. Pure.
import { keysOf, type Shortcut } from './registry.ts';

/** Label of another shortcut with these keys, or one that would become unreachable; undefined when they are free. */
export function clashOf(
  keys: string,
  id: string,
  { shortcuts, own }: { readonly shortcuts: readonly Shortcut[]; readonly own: Readonly<Record<string, string>> },
): string | undefined {
  if (keys === '') return undefined;
  const hides = (other: string) => other === keys || other.startsWith(`${keys} `) || keys.startsWith(`${other} `);
  return shortcuts.find((each) => {
    const others = each.id === id ? undefined : keysOf(each, own);
    return others !== undefined && hides(others);
  })?.label;
}
