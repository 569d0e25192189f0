// Key caps. Takes the notation of the shortcut registry: `mod+k`, `g d`, `shift+x`.
import { cn } from '../cn.ts';

export interface KbdProps {
  readonly keys: string;
  /** Beside the label of a control: not a part of its name. */
  readonly hint?: boolean;
  readonly className?: string;
}

export function Kbd({ keys, hint = false, className }: KbdProps) {
  return (
    <span aria-hidden={hint || undefined} className={cn('inline-flex items-center gap-1 align-middle', className)}>
      {keyCaps(keys).map((cap, index) => (
        <kbd
          key={index}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-xs border border-current/25 px-1 font-sans text-xs leading-none text-inherit"
        >
          {cap}
        </kbd>
      ))}
    </span>
  );
}

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
function keyCaps(keys: string): string[] {
  return keys
    .split(' ')
    .flatMap((chord) => (chord === '+' ? ['+'] : chord.split('+')))
    .map((key) => CAPS[key.toLowerCase()] ?? (key.length === 1 ? key.toUpperCase() : key));
}
