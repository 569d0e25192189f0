// Wraps a page: a dropped or chosen file of one sort is shown in its place until it is closed. Nothing of it is sent anywhere.
import { FileInput } from 'lucide-react';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { HiddenFileInput } from '../input/HiddenFileInput.tsx';
import { ErrorCard } from '../feedback/ErrorCard.tsx';
import { Spinner } from '../feedback/Spinner.tsx';
import { FileViewContext } from './file-view.ts';

export interface FileViewProps<Content> {
  /** The sort of file, in sentences: "trace". Its exports are named `*.<noun>.json`. */
  readonly noun: string;
  /** Rejects with the reason for the person. `onProgress` gets the part that was read, from 0 to 1. */
  readonly read: (file: File, onProgress: (part: number) => void) => Promise<Content>;
  readonly show: (content: Content, onClose: () => void) => ReactNode;
  readonly children: ReactNode;
}

type State<Content> =
  | { readonly phase: 'none' }
  /** From 0 to 1; undefined while the size is unknown. */
  | { readonly phase: 'reading'; readonly read: number | undefined }
  | { readonly phase: 'failed'; readonly error: unknown; readonly name: string }
  | { readonly phase: 'shown'; readonly content: Content };

function useOpenedFile<Content>(read: FileViewProps<Content>['read']) {
  const [state, setState] = useState<State<Content>>({ phase: 'none' });
  /** Counts requests: the result of a replaced or closed file is not shown. */
  const latest = useRef(0);
  const begin = useCallback((first: State<Content>) => {
    latest.current += 1;
    const own = latest.current;
    const show = (next: State<Content>) => {
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
        (content) => show({ phase: 'shown', content }),
        (error: unknown) => show({ phase: 'failed', error, name: file.name }),
      );
    },
    [begin, read],
  );
  const close = useCallback(() => void begin({ phase: 'none' }), [begin]);
  return { state, take, close };
}

/** A drop target in the page has its own use for files, and takes ours by `useFileView`. */
const isFree = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files') && !event.defaultPrevented;

/** Props that make an element a drop target for a file. */
function useDrop(take: (file: File | undefined) => void) {
  const [over, setOver] = useState(false);
  const target = {
    onDragOver: (event: DragEvent) => {
      if (!isFree(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!isFree(event)) return;
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer.files[0]);
    },
  };
  return { over, target };
}

/** Focuses the frame when its content is replaced: the focused element is removed. */
function useFocusOnChange(shown: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef(shown);
  useEffect(() => {
    if (shown !== before.current) frame.current?.focus();
    before.current = shown;
  }, [shown]);
  return frame;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `read` is the same function in every rendering. */
export function FileView<Content>({ noun, read, show, children }: FileViewProps<Content>) {
  const { state, take, close } = useOpenedFile(read);
  const { over, target } = useDrop(take);
  const frame = useFocusOnChange(state.phase === 'shown');
  const input = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => ({ noun, choose: () => input.current?.click(), claims: (name: string) => name.endsWith(`.${noun}.json`), take }),
    [noun, take],
  );
  return (
    <FileViewContext value={actions}>
      <div {...target} ref={frame} tabIndex={-1} className="relative flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <HiddenFileInput ref={input} accept=".json,application/json" label={`${capital(noun)} file`} onFiles={([file]) => take(file)} />
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
        {state.phase === 'reading' && <Reading noun={noun} part={state.read} />}
        {state.phase === 'shown' ? <Suspense fallback={<Reading noun={noun} />}>{show(state.content, close)}</Suspense> : children}
        {over && <DropHint noun={noun} />}
      </div>
    </FileViewContext>
  );
}

function Reading({ noun, part }: { readonly noun: string; readonly part?: number | undefined }) {
  return (
    <p className="flex items-center gap-2 px-6 py-3 text-sm text-muted">
      <Spinner /> Reading the {noun}
      {part !== undefined && `: ${Math.round(part * 100)} %`}
    </p>
  );
}

function DropHint({ noun }: { readonly noun: string }) {
  return (
    <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-surface/90">
      <p className="flex items-center gap-2 text-md font-medium">
        <FileInput aria-hidden className="size-5" /> Drop a {noun} file to view it
      </p>
    </div>
  );
}
