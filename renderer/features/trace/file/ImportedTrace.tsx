// A trace from a file, to view and to replay; it allows no actions.
import { FileInput, X } from 'lucide-react';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { TraceFile } from './trace-file.ts';
import { TracePane } from '../parts/TracePane.tsx';
import { useImportedTrace } from './use-imported-trace.ts';
import { useReplay } from '../model/use-replay.ts';

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
      <PageHeader
        title={name}
        status={
          <Badge tone="info" icon={<FileInput aria-hidden />}>
            Imported, read-only
          </Badge>
        }
        meta={
          <>
            <span>from namespace {namespace}</span>
            <span>
              exported <Time at={file.exported_at} sentence />
            </span>
            {!file.complete && <span>while the run still went on</span>}
          </>
        }
        actions={
          <Button icon={<X />} onClick={onClose}>
            Close the import
          </Button>
        }
      />
      <TracePane trace={trace} replay={replay} namespace={namespace} />
    </div>
  );
}
