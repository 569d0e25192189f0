// Reason why a decision was refused, and the next step.
import { CircleAlert } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Refusal } from '../model/refusal.ts';

export interface RefusalBannerProps {
  readonly refusal: Refusal;
  readonly onDismiss: () => void;
  /** Absent when there is no other item. */
  readonly onNext: (() => void) | undefined;
}

export function RefusalBanner({ refusal, onDismiss, onNext }: RefusalBannerProps) {
  const over = refusal.kind === 'decided' || refusal.kind === 'expired' || refusal.kind === 'gone';
  return (
    <div role="alert" className="mb-3 rounded-md border border-danger/35 bg-danger-soft p-3">
      <div className="flex gap-2">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
        <div className="min-w-0 flex-1">
          <p className="font-semibold text-text">
            <UntrustedText text={refusal.title} />
          </p>
          <p className="text-text">
            <UntrustedText text={refusal.text} />
          </p>
          {refusal.details.length > 0 && (
            <ul className="mt-1.5 flex flex-col gap-0.5 border-l-2 border-danger/40 pl-2.5">
              {refusal.details.slice(0, 20).map(({ path, message }, index) => (
                <li key={index}>
                  <code className="font-mono text-sm">{path}</code> <UntrustedText text={message} />
                </li>
              ))}
            </ul>
          )}
          <div className="mt-2 flex flex-wrap gap-2">
            {over && onNext && (
              <Button size="sm" variant="primary" onClick={onNext}>
                Next approval
              </Button>
            )}
            <Button size="sm" onClick={onDismiss}>
              {over ? 'Close' : 'Dismiss'}
            </Button>
          </div>
        </div>
      </div>
    </div>
  );
}
