// A trace from a file, to view and to replay; it allows no actions.
import { ImportedHeader } from '../../../ui/file/ImportedHeader.tsx';
import type { TraceFile } from './trace-file.ts';
import { SpanPanel } from '../parts/SpanPanel.tsx';
import { TracePane } from '../parts/TracePane.tsx';
import { useReplay } from '../model/use-replay.ts';
import { useMemo, useSyncExternalStore } from 'react';
import { TraceStore } from '../model/trace-store.ts';
import type { RunTrace } from '../model/use-run-trace.ts';

export interface ImportedTraceProps {
  readonly file: TraceFile;
  readonly onClose: () => void;
}

export function ImportedTrace({ file, onClose }: ImportedTraceProps) {
  const trace = useImportedTrace(file);
  const replay = useReplay(trace);
  const { namespace, name } = file.task;
  return (
    <div className="flex h-full min-h-[36rem] flex-col">
      <ImportedHeader namespace={namespace} name={name} exportedAt={file.exported_at} onClose={onClose}>
        {!file.complete && <span>while the run was still active</span>}
      </ImportedHeader>
      <div className="flex min-h-0 flex-1">
        <TracePane trace={trace} replay={replay} />
        <SpanPanel trace={trace} namespace={namespace} />
      </div>
    </div>
  );
}

const nothing = () => undefined;

/** A trace from a file, in the shape of a run's own. None of it is sent to the server. */
function useImportedTrace(file: TraceFile): RunTrace {
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
