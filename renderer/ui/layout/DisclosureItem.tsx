// An item of a list whose line opens what is below it.
import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { cn } from '../cn.ts';

export interface DisclosureItemProps {
  /** Content of the line, after its arrow. */
  readonly line: ReactNode;
  /** Layout of the line. */
  readonly lineClass: string;
  readonly startsOpen?: boolean;
  /** Below the line, whether it is open or not. */
  readonly notes?: ReactNode;
  /** Made when it is open. */
  readonly children: () => ReactNode;
}

export function DisclosureItem({ line, lineClass, startsOpen = false, notes, children }: DisclosureItemProps) {
  const [open, setOpen] = useState(startsOpen);
  return (
    <li className="border-b border-border/60 last:border-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className={cn('w-full items-center py-1.5 text-left -outline-offset-2 hover:bg-hover', lineClass)}
      >
        <ChevronRight aria-hidden className={cn('size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
        {line}
      </button>
      {notes}
      {open && children()}
    </li>
  );
}
