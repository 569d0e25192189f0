// A trace from a file, in the shape of a run's own. None of it is sent to the server.
import { useMemo, useSyncExternalStore } from 'react';
import type { TraceFile } from './trace-file.ts';
import { TraceStore } from '../model/trace-store.ts';
import type { RunTrace } from '../model/use-run-trace.ts';

const nothing = () => undefined;

export function useImportedTrace(file: TraceFile): RunTrace {
  const store = useMemo(() => {
    const made = new TraceStore(file.task.name);
    made.append(file.entries);
    return made;
  }, [file]);
  const version = useSyncExternalStore(store.subscribe, store.version);
  return useMemo(
    () => ({
      run: file.task,
      store,
      version,
      state: { phase: 'ended' } as const,
      live: false,
      retry: nothing,
      imported: { exportedAt: file.exported_at },
    }),
    [store, version, file],
  );
}
