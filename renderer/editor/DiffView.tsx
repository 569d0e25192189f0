// Two texts side by side or in one column, equal parts folded away. The comparison itself is a chunk that loads on demand.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { cn } from '../ui/cn.ts';
import { IconButton } from '../ui/button/IconButton.tsx';
import { SegmentedControl } from '../ui/input/SegmentedControl.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import type { DiffCommands } from './codemirror/DiffPane.tsx';
import { lazyPart } from '../ui/lazy-part.ts';

const DiffPane = lazyPart(async () => (await import('./codemirror/DiffPane.tsx')).DiffPane);

export interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  /** Label of the text before the change, such as "Stored now". */
  readonly beforeLabel?: string;
  readonly afterLabel?: string;
  /** Its name for screen readers. */
  readonly label: string;
  readonly initialLayout?: 'split' | 'unified';
  readonly className?: string;
}

const LAYOUTS = [
  { value: 'split', label: 'Side by side' },
  { value: 'unified', label: 'Unified' },
] as const;

function countText(count: number | undefined): string {
  if (count === undefined) return '';
  if (count === 0) return 'No differences';
  return count === 1 ? '1 change' : `${count} changes`;
}

export function DiffView(props: DiffViewProps) {
  const { before, after, beforeLabel = 'Before', afterLabel = 'After', label, initialLayout, className } = props;
  const [layout, setLayout] = useState<'split' | 'unified'>(initialLayout ?? 'split');
  const [count, setCount] = useState<number>();
  const commands = useRef<DiffCommands>(undefined);
  return (
    <section aria-label={label} className={cn('flex min-h-0 min-w-0 flex-col overflow-hidden rounded-md border border-border', className)}>
      <header className="flex flex-wrap items-center gap-2 border-b border-border bg-sunken px-3 py-1.5 text-sm">
        <span className="inline-flex items-center gap-1.5 font-medium text-danger">
          <span aria-hidden>−</span> {beforeLabel}
        </span>
        <span className="inline-flex items-center gap-1.5 font-medium text-ok">
          <span aria-hidden>+</span> {afterLabel}
        </span>
        <span role="status" className="ml-auto text-muted tabular-nums">
          {countText(count)}
        </span>
        <IconButton size="sm" label="Previous change" shortcut="Shift+F7" icon={<ArrowUp />} onClick={() => commands.current?.previous()} />
        <IconButton size="sm" label="Next change" shortcut="F7" icon={<ArrowDown />} onClick={() => commands.current?.next()} />
        <SegmentedControl label="Layout of the comparison" value={layout} segments={LAYOUTS} onChange={setLayout} />
      </header>
      <Suspense fallback={<Skeleton className="m-3 h-40" />}>
        <DiffPane
          before={before}
          after={after}
          layout={layout}
          label={label}
          beforeLabel={beforeLabel}
          afterLabel={afterLabel}
          commands={commands}
          onChunks={setCount}
        />
      </Suspense>
    </section>
  );
}
