// A part of the shell that is loaded on demand. A failed load, as while the server is away, must not remove the page.
import { RotateCw } from 'lucide-react';
import { Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useConnection } from '../live/connection.ts';
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { FallbackBoundary } from '../ui/feedback/FallbackBoundary.tsx';
import { FailureThrown, tryPartsAgain } from '../ui/lazy-part.ts';
import { CodeNotLoaded } from '../ui/load-code.ts';
import { shownError } from '../ui/feedback/shown-error.ts';

export interface LazyBoundaryProps {
  /** Name of the part inside a sentence: `command palette`. */
  readonly named: string;
  readonly open: boolean;
  /** Given for parts that somebody opened: closes the part, which then does not open by itself once the server is back. */
  readonly onClose?: (() => void) | undefined;
  /** Shown while the part loads. */
  readonly pending?: ReactNode;
  /** Marks parts made by `lazyPart`, which can be loaded again. */
  readonly children: ReactNode;
}

export function LazyBoundary({ named, open, onClose, pending, children }: LazyBoundaryProps) {
  const [tries, setTries] = useState(0);
  const again = useCallback(() => {
    tryPartsAgain();
    setTries((before) => before + 1);
  }, []);
  if (!open) return null;
  const close =
    onClose &&
    (() => {
      // Opening the part again must load it again.
      tryPartsAgain();
      onClose();
    });
  return (
    <FallbackBoundary
      key={tries}
      fallback={(error) =>
        error instanceof CodeNotLoaded ? (
          <NotLoaded named={named} onRetry={again} onClose={close} />
        ) : (
          <LoadFailure onRetry={again} onClose={close}>
            The {named} failed: {shownError(error).message}
          </LoadFailure>
        )
      }
    >
      <FailureThrown value>
        <Suspense fallback={pending}>{children}</Suspense>
      </FailureThrown>
    </FallbackBoundary>
  );
}

/** Calls `load` when the connection returns. */
export function useLoadOnReconnect(load: () => void, enabled = true): void {
  const isLive = useConnection().phase === 'live';
  const wasLive = useRef(isLive);
  useEffect(() => {
    if (enabled && isLive && !wasLive.current) load();
    wasLive.current = isLive;
  }, [enabled, isLive, load]);
}

interface WaysOut {
  readonly onRetry: () => void;
  readonly onClose: (() => void) | undefined;
}

function NotLoaded({ named, onRetry, onClose }: WaysOut & { readonly named: string }) {
  useLoadOnReconnect(onRetry, onClose === undefined);
  return (
    <LoadFailure onRetry={onRetry} onClose={onClose}>
      The {named} could not be loaded from the server.
    </LoadFailure>
  );
}

function LoadFailure({ onRetry, onClose, children }: WaysOut & { readonly children: ReactNode }) {
  const again = (
    <Button size="sm" icon={<RotateCw />} onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <Banner tone="warn" action={again} {...(onClose && { onDismiss: onClose })}>
      {children}
    </Banner>
  );
}
