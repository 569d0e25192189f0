// Reading again what the server derives from changes, such as statistics: some seconds after the changes, and not for each of them.
import { useCallback, useEffect, useRef } from 'react';
import type { WatchItem } from '@svc/shared/api/watch';
import type { ChangeListener } from './live-data.ts';
import { Trailing } from './trailing.ts';
import { useChanges } from './use-live.ts';

/** The server's statistics are a few seconds behind its change log; a busy server gets a request at most this often. */
const AFTER_MS = 4_000;

/** Calls `read` some time after changes that concern it, and again after later ones. Give it stable functions. */
export function useAfterChanges(isConcerned: (item: WatchItem) => boolean, read: () => unknown, afterMs = AFTER_MS): void {
  const asking = useRef<Trailing>(undefined);
  useEffect(() => {
    const trailing = new Trailing(() => void read(), afterMs);
    asking.current = trailing;
    return () => trailing.stop();
  }, [read, afterMs]);
  const onChanges = useCallback<ChangeListener>(
    (items) => {
      if (items.some(isConcerned)) asking.current?.call();
    },
    [isConcerned],
  );
  useChanges(onChanges);
}
