// Label, hint and error of one control, tied together for screen readers.
import { CircleAlert } from 'lucide-react';
import { useId, useMemo, type ReactNode } from 'react';
import { cn } from '../cn.ts';
import { FieldContext } from './field-context.ts';

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** Stands at the right end of the label's line. */
  readonly aside?: ReactNode;
  readonly className?: string;
  /** One control of this kit. */
  readonly children: ReactNode;
}

export function Field({ label, hint, error, required = false, aside, className, children }: FieldProps) {
  const id = useId();
  const hasHint = hint !== undefined;
  const ids = useMemo(() => {
    const described = [hasHint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ');
    return { id, describedBy: described || undefined, invalid: error !== undefined, required };
  }, [id, hasHint, error, required]);
  return (
    <div className={cn('flex min-w-0 flex-col gap-1', className)}>
      <div className="flex items-baseline justify-between gap-2">
        <label htmlFor={id} className="text-sm font-medium text-text">
          {label}
          {required && (
            <span aria-hidden className="text-danger">
              {' '}
              *
            </span>
          )}
        </label>
        {aside && <span className="text-sm text-muted">{aside}</span>}
      </div>
      <FieldContext value={ids}>{children}</FieldContext>
      {hasHint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="flex items-start gap-1 text-sm text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          {error}
        </p>
      )}
    </div>
  );
}
