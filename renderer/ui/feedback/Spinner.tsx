// Progress of unknown length.
import { LoaderCircle } from 'lucide-react';
import { cn } from '../cn.ts';

export interface SpinnerProps {
  /** Text for screen readers; absent when visible text has the same content. */
  readonly label?: string;
  readonly className?: string;
}

export function Spinner({ label, className }: SpinnerProps) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex">
      <LoaderCircle aria-hidden className={cn('size-4 animate-spin text-muted', className)} />
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
