// A component whose code is loaded when it is first shown, and again when a failed load is retried: React's own `lazy` keeps a failure for
// ever.
import { createElement, lazy, type ComponentType } from 'react';
import { loadCode } from './load-code.ts';

/** Number of retries so far. */
let tries = 0;

/** Forgets failed loads, so that the parts load again when they are next shown; call this before showing them. */
export function tryPartsAgain(): void {
  tries += 1;
}

/** Suspends while it loads; throws CodeNotLoaded when the code fails to load. */
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
    if (failedAt !== undefined && failedAt !== tries) {
      loaded = undefined;
      failedAt = undefined;
    }
    loaded ??= start();
    return createElement(loaded, props);
  };
}
