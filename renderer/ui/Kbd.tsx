// Key caps. Takes the notation of the shortcut registry: `mod+k`, `g d`, `shift+x`.
import { cn } from './cn.ts';
import { keyCaps } from './key-caps.ts';

export interface KbdProps {
  readonly keys: string;
  readonly className?: string;
}

export function Kbd({ keys, className }: KbdProps) {
  return (
    <span className={cn('inline-flex items-center gap-1 align-middle', className)}>
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
