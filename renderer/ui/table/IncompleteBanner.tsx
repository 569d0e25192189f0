// Notice of objects missing in a list while the server indexes them, with ways to continue.
import type { ReactNode } from 'react';
import { Banner } from '../feedback/Banner.tsx';
import { Button } from '../button/Button.tsx';

export interface IncompleteBannerProps {
  /** Reads the list again. */
  readonly onRetry: () => void;
  /** Another way to see all objects, such as an order that has them. */
  readonly action?: ReactNode;
}

export function IncompleteBanner({ onRetry, action }: IncompleteBannerProps) {
  return (
    <Banner
      tone="info"
      action={
        <span className="flex shrink-0 gap-2">
          {action}
          <Button size="sm" onClick={onRetry}>
            Reload
          </Button>
        </span>
      }
    >
      The server is still indexing stored objects. Some may be missing here.
    </Banner>
  );
}
