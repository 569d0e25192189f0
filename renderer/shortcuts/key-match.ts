// Keys as texts: `mod+k`, `shift+x`, `?`, and sequences of them, `g d`. Pure.

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The press in the notation of shortcuts. A character that needs Shift on some keyboard (`?`) is that character alone. */
export function chordOf(press: KeyPress): string {
  const key = press.key === ' ' ? 'space' : press.key.toLowerCase();
  const letter = /^[a-z]$/.test(key);
  const parts = [
    (press.ctrlKey || press.metaKey) && 'mod',
    press.altKey && 'alt',
    press.shiftKey && (letter || key.length > 1) && 'shift',
    key,
  ];
  return parts.filter(Boolean).join('+');
}

/** `Mod+Shift+K` as chordOf writes it, for typed text. */
export function normalKeys(keys: string): string {
  return keys
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .map((chord) => {
      if (chord === '+') return chord;
      const parts = chord.split('+').filter((part) => part !== '');
      const key = parts.pop() ?? '';
      const order = ['mod', 'alt', 'shift'].filter(
        (each) => parts.includes(each) || (each === 'mod' && (parts.includes('ctrl') || parts.includes('cmd'))),
      );
      return [...order, key].join('+');
    })
    .join(' ');
}

export interface Match<Item> {
  /** Match for the keys; the last registered wins, as it belongs to the topmost layer. */
  readonly hit: Item | undefined;
  /** Chords so far of sequences that may still come; empty when none can. */
  readonly pending: string;
}

/** Meaning of a chord after earlier ones. */
export function matchKeys<Item extends { readonly keys: string }>(items: readonly Item[], before: string, chord: string): Match<Item> {
  const sequence = before === '' ? chord : `${before} ${chord}`;
  const hit = items.findLast((item) => item.keys === sequence);
  if (hit) return { hit, pending: '' };
  if (items.some((item) => item.keys.startsWith(`${sequence} `))) return { hit: undefined, pending: sequence };
  return before === '' ? { hit: undefined, pending: '' } : matchKeys(items, '', chord);
}

/** Whether the focused element needs the keys for typing. Chords with mod reach the console from everywhere. */
export function isTyping(target: unknown, chord: string): boolean {
  if (chord.startsWith('mod+') || !(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    target.closest('[role="menu"], [role="listbox"]') !== null
  );
}
