// Error in the place of content that could not be shown: the failure, its place, and what to do.
import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { cn } from '../cn.ts';
import { CopyButton } from '../button/CopyButton.tsx';
import { errorReport, shownError } from './shown-error.ts';

export interface ErrorCardProps {
  /** The caught value, of any shape. */
  readonly error: unknown;
  /** Title of the failure: "The tasks could not be loaded". */
  readonly title?: string;
  readonly onRetry?: (() => void) | undefined;
  /** Default: Retry. */
  readonly retryLabel?: string;
  readonly retrying?: boolean;
  readonly action?: ReactNode;
  readonly className?: string | undefined;
}

const DETAILS_SHOWN = 8;

export function ErrorCard({
  error,
  title = 'This could not be done',
  onRetry,
  retryLabel = 'Retry',
  retrying,
  action,
  className,
}: ErrorCardProps) {
  const shown = shownError(error);
  const details = shown.details ?? [];
  return (
    <section role="alert" className={cn('h-fit rounded-lg border border-danger/35 bg-surface text-base shadow-raised', className)}>
      <div className="flex gap-3 p-4">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold text-text">{title}</h2>
          <p className="mt-0.5 break-words whitespace-pre-line text-muted">{shown.message}</p>
          {details.length > 0 && (
            <ul className="mt-2 flex flex-col gap-1 border-l-2 border-danger/40 pl-3">
              {details.slice(0, DETAILS_SHOWN).map((detail, index) => (
                <li key={index} className="break-words text-muted">
                  {detail.path !== '' && <code className="font-mono text-sm text-text">{detail.path}</code>} {detail.message}
                </li>
              ))}
              {details.length > DETAILS_SHOWN && <li className="text-muted">and {details.length - DETAILS_SHOWN} more</li>}
            </ul>
          )}
        </div>
      </div>
      <footer className="flex flex-wrap items-center gap-2 border-t border-border px-4 py-2">
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-faint">
          {shown.code !== 'unknown' && shown.code}
          {shown.requestId && ` · request ${shown.requestId}`}
        </span>
        <CopyButton words label="Copy details" text={() => errorReport(shown)} />
        {action}
        {onRetry && (
          <Button size="sm" icon={<RotateCw />} onClick={onRetry} busy={retrying}>
            {retryLabel}
          </Button>
        )}
      </footer>
    </section>
  );
}
