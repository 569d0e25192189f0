// A component whose code is loaded when it is first shown, and again when a failed load is retried: React's own `lazy` keeps a failure for
// ever.
import { createContext, createElement, lazy, use, useCallback, useState, type ComponentType } from 'react';
import { FallbackBoundary } from './feedback/FallbackBoundary.tsx';
import { CodeNotLoaded, loadCode } from './load-code.ts';

/** Number of retries so far. */
let tries = 0;

/** Forgets failed loads, so that the parts load again when they are next shown; call this before showing them. */
export function tryPartsAgain(): void {
  tries += 1;
}

export interface PartFailureProps {
  readonly onRetry: () => void;
}

/** Shown in place of a part whose code failed to load. Undefined: the failure is thrown to the surroundings. */
export const PartFailure = createContext<ComponentType<PartFailureProps> | undefined>(undefined);

/** Whether a boundary around the part shows its failure. It does not count for parts inside of the part. */
export const FailureThrown = createContext(false);

/** Suspends while it loads; a failure to load is shown in its place. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  let failedAt: number | undefined;
  const start = () => {
    const startedAt = tries;
    return lazy(() =>
      loadCode(load).then(
        (part) => ({ default: part }),
        (error: unknown) => {
          failedAt = startedAt;
          throw error;
        },
      ),
    ) as unknown as ComponentType<Props>;
  };
  return (props) => {
    const Failure = use(PartFailure);
    const thrown = use(FailureThrown);
    const [own, setOwn] = useState(0);
    const onRetry = useCallback(() => {
      tryPartsAgain();
      setOwn((before) => before + 1);
    }, []);
    if (failedAt !== undefined && failedAt !== tries) {
      loaded = undefined;
      failedAt = undefined;
    }
    loaded ??= start();
    const part = createElement(loaded, props);
    if (Failure === undefined) return part;
    const children = createElement(FailureThrown, { value: false }, part);
    if (thrown) return children;
    const fallback = (error: unknown) => {
      if (error instanceof CodeNotLoaded) return createElement(Failure, { onRetry });
      throw error;
    };
    return createElement(FallbackBoundary, { key: own, fallback, children });
  };
}
