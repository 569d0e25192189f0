// Wraps a page that opens traces from files.
import type { ReactNode } from 'react';
import { FileView } from '../../../ui/file/FileView.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { TraceFile } from '../file/trace-file.ts';

const ImportedTrace = lazyPart(async () => (await import('../file/ImportedTrace.tsx')).ImportedTrace);

/** The reader includes the schema of entries, which must be created without code from text. */
async function read(file: File, onProgress: (part: number) => void): Promise<TraceFile> {
  const { withoutEval } = await import('@svc/shared/kinds/without-eval');
  withoutEval();
  const { readTraceBlob } = await import('../file/read-trace-file.ts');
  return readTraceBlob(file, onProgress);
}

export function TraceFiles({ children }: { readonly children: ReactNode }) {
  return (
    <FileView noun="trace" read={read} show={(file, onClose) => <ImportedTrace file={file} onClose={onClose} />}>
      {children}
    </FileView>
  );
}
