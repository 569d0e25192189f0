// Registry of actions available by a key or from the palette. Pages add theirs while they are open.
import { Store } from '../ui/store.ts';

export interface Shortcut {
  /** Stable, `runs.cancel`: a person's own keys are stored under it. */
  readonly id: string;
  /** `mod+k`, `shift+x`, `g d`; undefined for actions of the palette only. */
  readonly keys: string | undefined;
  /** Description of the action, as on a button. */
  readonly label: string;
  /** Group in the shortcut sheet. */
  readonly group: string;
  readonly run: () => void;
  /** Further words that find it in the palette. */
  readonly words?: string;
  /** Not listed in the palette, such as moving a selection or closing. */
  readonly quiet?: boolean;
  /** Called at each press of its keys: false leaves the press to the page, such as an arrow to a scroller. */
  readonly applies?: (() => boolean) | undefined;
}

/** The registered ones. */
export const shortcuts = new Store<readonly Shortcut[]>([]);

/** Registers it until the returned function is called. */
export function register(shortcut: Shortcut): () => void {
  shortcuts.set([...shortcuts.get(), shortcut]);
  return () => shortcuts.set(shortcuts.get().filter((each) => each !== shortcut));
}

/** The person's keys, or the default ones. The empty text disables the keys. Pure. */
export function keysOf(shortcut: Pick<Shortcut, 'id' | 'keys'>, own: Readonly<Record<string, string>>): string | undefined {
  const keys = own[shortcut.id] ?? shortcut.keys;
  return keys === '' ? undefined : keys;
}
