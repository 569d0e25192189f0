// Runs that one worker holds: a stream of its own, since no other stream carries leases and runs of other namespaces.
import type { HeldRuns } from '@svc/shared/api/runs';
import { useEffect, useState } from 'react';
import { client } from '../../live/api.ts';

export interface Held {
  /** Undefined before the first answer. */
  readonly data: HeldRuns | undefined;
  /** Null unless the stream was refused. */
  readonly error: unknown;
  readonly retry: () => void;
}

export function useHeldRuns(worker: string): Held {
  const [tries, setTries] = useState(0);
  const [held, setHeld] = useState<{ readonly of: string; readonly data?: HeldRuns; readonly error?: unknown }>({ of: worker });
  useEffect(() => {
    const stream = client.live.held.subscribe(
      { worker },
      {
        onData: (data) => setHeld({ of: worker, data }),
        onError: (error) => setHeld((before) => ({ ...(before.of === worker && before), of: worker, error })),
      },
    );
    return () => stream.unsubscribe();
  }, [worker, tries]);
  const now = held.of === worker ? held : undefined;
  return { data: now?.data, error: now?.error ?? null, retry: () => setTries(tries + 1) };
}
