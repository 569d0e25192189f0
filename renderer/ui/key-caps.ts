// Turns the notation of shortcuts into the key caps of this machine.

const MAC = typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.userAgent);

const CAPS: Readonly<Record<string, string>> = {
  mod: MAC ? '⌘' : 'Ctrl',
  shift: MAC ? '⇧' : 'Shift',
  alt: MAC ? '⌥' : 'Alt',
  enter: '↵',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  space: 'Space',
};

/** The caps of `mod+k` or of the sequence `g d`, in the order in which they are pressed. */
export function keyCaps(keys: string): string[] {
  return keys
    .split(' ')
    .flatMap((chord) => (chord === '+' ? ['+'] : chord.split('+')))
    .map((key) => CAPS[key.toLowerCase()] ?? (key.length === 1 ? key.toUpperCase() : key));
}
