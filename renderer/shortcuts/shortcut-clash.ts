// Whether keys are free. Pure.
import { keysOf, type Shortcut } from './registry.ts';

/** The label of another shortcut that has these keys, or that could never be reached because of them; undefined when they are free. */
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
