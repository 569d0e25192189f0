// The trace of one run, kept in step with the server while it is shown.
import type { NamespacedName } from '@svc/shared/resource';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { client } from '../../../live/api.ts';
import { readTrace, type SourceState, type TracePort } from './trace-source.ts';
import { TraceStore } from './trace-store.ts';

/** Run to follow. */
export interface FollowedRun extends NamespacedName {
  /** Uid of the Task, once it was read: a Task created again under the same name is another run. */
  readonly uid?: string | undefined;
}

export interface RunTrace {
  readonly run: NamespacedName;
  /** Uid of the Task, once it was read. */
  readonly uid?: string | undefined;
  readonly store: TraceStore;
  /** Grows with every batch; values computed from the store are computed again when it changes. */
  readonly version: number;
  readonly state: SourceState;
  /** Whether entries may still come. */
  readonly live: boolean;
  /** Reads everything again, after a failure. */
  readonly retry: () => void;
  /** Origin of an imported trace file, which is read-only. */
  readonly imported?: { readonly exportedAt: string };
}

/** Number of entries in the first answer: more than fill a screen, so that rows appear soon however long the run is. */
const FIRST_PAGE_STEPS = 200;

function portOf(run: NamespacedName): TracePort {
  return {
    page: () => client.runs.trace.query({ ...run, limit: FIRST_PAGE_STEPS }),
    follow: (after, { onBatch, onError, onEnd }) => {
      const input = { ...run, ...(after !== undefined && { lastEventId: after }) };
      const subscription = client.runs.followTrace.subscribe(input, {
        onData: ({ id, data }) => onBatch({ id, entries: data.entries }),
        onError,
        onComplete: onEnd,
      });
      return () => subscription.unsubscribe();
    },
  };
}

const LOADING: SourceState = { phase: 'loading' };

interface Reading {
  readonly key: string;
  readonly uid: string | undefined;
  readonly store: TraceStore;
}

/** Follows the run's trace, from before its Task was read. `port` is for tests. */
export function useRunTrace({ namespace, name, uid }: FollowedRun, port?: TracePort): RunTrace {
  const [round, setRound] = useState(0);
  const key = `${namespace}/${name}/${round}`;
  const [reading, setReading] = useState<Reading>(() => ({ key, uid, store: new TraceStore(name) }));
  const [state, setState] = useState<SourceState>(LOADING);
  const other = uid !== undefined && reading.uid !== undefined && uid !== reading.uid;
  if (reading.key !== key || other) {
    setReading({ key, uid, store: new TraceStore(name) });
    setState(LOADING);
  } else if (reading.uid === undefined && uid !== undefined) {
    setReading({ ...reading, uid });
  }
  const { store } = reading;
  useEffect(() => readTrace({ port: port ?? portOf({ namespace, name }), store, onState: setState }), [port, namespace, name, store]);
  const version = useSyncExternalStore(store.subscribe, store.version);
  const retry = useCallback(() => setRound((before) => before + 1), []);
  const live = state.phase === 'loading' || state.phase === 'following';
  return useMemo(
    () => ({ run: { namespace, name }, uid, store, version, state, live, retry }),
    [namespace, name, uid, store, version, state, live, retry],
  );
}
