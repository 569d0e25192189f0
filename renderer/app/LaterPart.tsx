// A part of the shell that is loaded when it is needed. One that cannot be loaded, as while the server is away, must not take the page along.
import { RotateCw } from 'lucide-react';
import { Suspense, useCallback, useEffect, useState, type ReactNode } from 'react';
import { useConnection } from '../live/connection.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { FallbackBoundary } from '../ui/FallbackBoundary.tsx';
import { tryPartsAgain } from '../ui/lazy-part.ts';
import { CodeNotLoaded } from '../ui/load-code.ts';
import { shownError } from '../ui/shown-error.ts';

export interface LaterPartProps {
  /** What it is called in a sentence: `command palette`. */
  readonly named: string;
  readonly open: boolean;
  /** Of components made by `lazyPart`: they can be tried again. */
  readonly children: ReactNode;
}

export function LaterPart({ named, open, children }: LaterPartProps) {
  const [tries, setTries] = useState(0);
  const again = useCallback(() => {
    tryPartsAgain();
    setTries((before) => before + 1);
  }, []);
  if (!open) return null;
  return (
    <FallbackBoundary
      key={tries}
      fallback={(error) =>
        error instanceof CodeNotLoaded ? (
          <NotLoaded named={named} onRetry={again} />
        ) : (
          <Told onRetry={again}>
            The {named} broke: {shownError(error).message}
          </Told>
        )
      }
    >
      <Suspense>{children}</Suspense>
    </FallbackBoundary>
  );
}

function NotLoaded({ named, onRetry }: { readonly named: string; readonly onRetry: () => void }) {
  const { phase } = useConnection();
  const [failedIn] = useState(phase);
  const isBack = phase === 'live' && failedIn !== 'live';
  useEffect(() => {
    if (isBack) onRetry();
  }, [isBack, onRetry]);
  return <Told onRetry={onRetry}>The {named} could not be loaded from the server.</Told>;
}

function Told({ onRetry, children }: { readonly onRetry: () => void; readonly children: ReactNode }) {
  const again = (
    <Button size="sm" icon={<RotateCw />} onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <Banner tone="warn" action={again}>
      {children}
    </Banner>
  );
}
