// A page that accepts dropped files and pasted documents for an import. An export of the page's own sort is opened instead.
import { FileUp } from 'lucide-react';
import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { pageAddress } from '../../../navigation/addresses.ts';
import { useFileView } from '../../../ui/file/file-view.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { handOver, looksLikeDocuments } from '../model/sources.ts';
import { pastedText, usePasted } from './use-pasted.ts';
import { useTakeFiles } from './use-take-files.ts';

export interface DropToImportProps {
  /** Namespace of documents that name none. */
  readonly namespace: string;
  readonly enabled?: boolean;
  readonly children: ReactNode;
}

const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');

export function DropToImport({ namespace, enabled = true, children }: DropToImportProps) {
  const { go } = useNavigation();
  const view = useFileView();
  const drops = enabled || view !== undefined;
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  const target = pageAddress(namespace, 'import');
  const take = useTakeFiles((read) => {
    handOver(read);
    go(target);
  });
  usePasted((text) => {
    if (!looksLikeDocuments(text)) return false;
    handOver(pastedText(text));
    go(target);
    return true;
  }, enabled);
  const move = (by: 1 | -1) => (event: DragEvent) => {
    if (!drops || !holdsFiles(event)) return;
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  const dragOver = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    // Without this the browser would open the file in the place of the console.
    event.preventDefault();
    if (!drops) event.dataTransfer.dropEffect = 'none';
  };
  const drop = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    const files = [...event.dataTransfer.files];
    const [file] = files;
    // A reader, who may not import, drops files to view them only.
    if (view && file && (!enabled || view.claims(file.name))) view.take(file);
    else if (enabled) take(files);
  };
  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragEnter={move(1)}
      onDragLeave={move(-1)}
      onDragOver={dragOver}
      onDrop={drop}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-3 z-30 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-raised/95 px-4 text-center">
          <FileUp aria-hidden className="size-6 text-accent-text" />
          <p className="text-md font-semibold">Drop to {[enabled && 'import', view && 'view'].filter((verb) => verb).join(' or ')}</p>
          {enabled && <p className="text-base text-muted">YAML or JSON files, up to 4 MiB. Nothing changes before you have reviewed it.</p>}
          {view && <p className="text-base text-muted">A file named *.{view.noun}.json is shown without an import.</p>}
        </div>
      )}
    </div>
  );
}
