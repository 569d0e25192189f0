// Wraps a page: a dropped or chosen trace file is shown in its place until it is closed.
import { FileInput } from 'lucide-react';
import { createContext, Suspense, useCallback, useContext, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import type { TraceFile } from '../file/trace-file.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const ImportedTrace = lazyPart(async () => (await import('../file/ImportedTrace.tsx')).ImportedTrace);

const Import = createContext<(() => void) | undefined>(undefined);

/** Opens the file chooser; undefined outside of a TraceImport. For menus. */
export function useTraceImport(): (() => void) | undefined {
  return useContext(Import);
}

type State =
  | { readonly phase: 'none' }
  /** From 0 to 1; undefined while the size is unknown. */
  | { readonly phase: 'reading'; readonly read: number | undefined }
  | { readonly phase: 'failed'; readonly error: unknown; readonly name: string }
  | { readonly phase: 'shown'; readonly file: TraceFile };

/** The reader includes the schema of entries, which must be created without code from text. */
async function read(file: File, onProgress: (read: number) => void): Promise<TraceFile> {
  const { withoutEval } = await import('@svc/shared/kinds/without-eval');
  withoutEval();
  const { readTraceBlob } = await import('../file/read-trace-file.ts');
  return readTraceBlob(file, onProgress);
}

function useImport() {
  const [state, setState] = useState<State>({ phase: 'none' });
  /** Counts requests: the result of a replaced or closed file is not shown. */
  const latest = useRef(0);
  const begin = useCallback((first: State) => {
    latest.current += 1;
    const own = latest.current;
    const show = (next: State) => {
      if (own === latest.current) setState(next);
    };
    show(first);
    return show;
  }, []);
  const take = useCallback(
    (file: File | undefined) => {
      if (!file) return;
      const show = begin({ phase: 'reading', read: undefined });
      read(file, (part) => show({ phase: 'reading', read: part })).then(
        (shown) => show({ phase: 'shown', file: shown }),
        (error: unknown) => show({ phase: 'failed', error, name: file.name }),
      );
    },
    [begin],
  );
  const close = useCallback(() => void begin({ phase: 'none' }), [begin]);
  return { state, take, close };
}

const carriesFile = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

/** Props that make an element a drop target for a file. */
function useDrop(take: (file: File | undefined) => void) {
  const [over, setOver] = useState(false);
  const target = {
    onDragOver: (event: DragEvent) => {
      if (!carriesFile(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!carriesFile(event)) return;
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer.files[0]);
    },
  };
  return { over, target };
}

export interface TraceImportProps {
  readonly children: ReactNode;
}

export function TraceImport({ children }: TraceImportProps) {
  const { state, take, close } = useImport();
  const { over, target } = useDrop(take);
  const input = useRef<HTMLInputElement>(null);
  const choose = useCallback(() => input.current?.click(), []);
  return (
    <Import value={choose}>
      <div {...target} className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          aria-label="Trace file"
          className="hidden"
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        {state.phase === 'failed' && (
          <ErrorCard
            className="m-6 mb-0 shrink-0"
            title={`${state.name} cannot be shown`}
            error={state.error}
            action={
              <Button size="sm" onClick={close}>
                Dismiss
              </Button>
            }
          />
        )}
        {state.phase === 'reading' && <Reading read={state.read} />}
        {state.phase === 'shown' ? (
          <Suspense fallback={<Reading />}>
            <ImportedTrace file={state.file} onClose={close} />
          </Suspense>
        ) : (
          children
        )}
        {over && <DropHint />}
      </div>
    </Import>
  );
}

function Reading({ read: part }: { readonly read?: number | undefined }) {
  return (
    <p className="flex items-center gap-2 px-6 py-3 text-sm text-muted">
      <Spinner /> Reading the trace{part !== undefined && `: ${Math.round(part * 100)} %`}
    </p>
  );
}

function DropHint() {
  return (
    <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-surface/90">
      <p className="flex items-center gap-2 text-md font-medium">
        <FileInput aria-hidden className="size-5" /> Drop a trace file to view it
      </p>
    </div>
  );
}
