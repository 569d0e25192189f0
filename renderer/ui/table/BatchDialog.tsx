// Progress of a batch, item by item. Stays until it is closed, so that failures can be read.
import { CircleAlert, CircleCheck, CircleDashed, CircleSlash } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { Dialog } from '../overlay/Dialog.tsx';
import type { ShownError } from '../feedback/shown-error.ts';
import { Spinner } from '../feedback/Spinner.tsx';
import { formatNumber } from '../status/format.ts';
import { tally, type Batch, type BatchItem, type BatchProgress } from './use-batch.ts';

interface Line {
  readonly key: string;
  readonly name: string;
}

export interface BatchDialogProps<Done> {
  readonly title: string;
  readonly items: readonly Line[];
  readonly batch: Pick<Batch<never, Done>, 'busy' | 'stop'>;
  readonly progress: BatchProgress<Done>;
  /** Result of one item, beside its tick. */
  readonly resultOf?: (done: Done) => ReactNode;
  /** Link behind the message of a failed item. */
  readonly wayOutOf?: (key: string, error: ShownError) => ReactNode;
  readonly onClose: () => void;
}

const LISTED_MAX = 200;
/** Announcements of a batch at most, besides its end: each item would flood a screen reader. */
const ANNOUNCED_MAX = 10;

function announced(ended: number, size: number): string {
  const step = Math.ceil(size / ANNOUNCED_MAX);
  return `${formatNumber(Math.floor(ended / step) * step)} of ${formatNumber(size)}`;
}

export function BatchDialog<Done>(props: BatchDialogProps<Done>) {
  const { title, items, batch, progress, resultOf, wayOutOf, onClose } = props;
  const { done, failed, left, open } = tally(progress);
  const ended = progress.size - open;
  const counted = (count: number, word: string) => (count > 0 ? `, ${formatNumber(count)} ${word}` : '');
  const outcome = `${formatNumber(done)} of ${formatNumber(progress.size)} done${counted(failed, 'failed')}${counted(left, 'left out')}`;
  // Failures come first, because people look for them.
  const rank = ({ key }: Line) => (progress.get(key)?.state === 'failed' ? 0 : 1);
  const sorted = [...items].sort((a, b) => rank(a) - rank(b));
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!batch.busy}
      title={title}
      description={outcome}
      footer={
        batch.busy ? (
          <Button onClick={batch.stop}>Stop after these</Button>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        )
      }
    >
      <p role="status" className="sr-only">
        {open === 0 ? outcome : announced(ended, progress.size)}
      </p>
      <Progress ended={ended} of={progress.size} />
      <BatchLines
        items={sorted}
        render={({ key }) => <Outcome item={progress.get(key)} resultOf={resultOf} wayOut={(error) => wayOutOf?.(key, error)} />}
      />
    </Dialog>
  );
}

function Progress({ ended, of }: { readonly ended: number; readonly of: number }) {
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={ended}
      className="mb-3 h-1 overflow-hidden rounded-full bg-neutral-soft forced-colors:border"
    >
      <div
        className="h-full bg-accent transition-[width] forced-colors:bg-[Highlight]"
        style={{ width: `${(ended / Math.max(1, of)) * 100}%` }}
      />
    </div>
  );
}

export interface BatchLinesProps {
  readonly items: readonly Line[];
  readonly render: (item: Line) => ReactNode;
}

/** Items of a batch, before it or in flight. */
export function BatchLines({ items, render }: BatchLinesProps) {
  return (
    <ul className="flex max-h-72 flex-col overflow-auto rounded-md border border-border" tabIndex={0} aria-label="Items">
      {items.slice(0, LISTED_MAX).map((item) => (
        <li
          key={item.key}
          className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border/60 px-3 py-1 last:border-0"
        >
          <span className="min-w-0 flex-1 truncate" title={item.name}>
            {item.name}
          </span>
          {render(item)}
        </li>
      ))}
      {items.length > LISTED_MAX && <li className="px-3 py-1 text-muted">and {formatNumber(items.length - LISTED_MAX)} more</li>}
    </ul>
  );
}

interface OutcomeProps<Done> {
  readonly item: BatchItem<Done> | undefined;
  readonly resultOf: ((done: Done) => ReactNode) | undefined;
  readonly wayOut: (error: ShownError) => ReactNode;
}

function Outcome<Done>({ item, resultOf, wayOut }: OutcomeProps<Done>) {
  switch (item?.state) {
    case undefined:
    case 'queued':
      return <CircleDashed aria-label="Queued" className="size-4 text-faint" />;
    case 'running':
      return <Spinner label="In progress" />;
    case 'done':
      return (
        <span className="flex items-center gap-1">
          <CircleCheck aria-label="Done" className="size-4 text-ok" /> {resultOf?.(item.result)}
        </span>
      );
    case 'skipped':
      return (
        <span className="flex items-center gap-1 text-muted">
          <CircleSlash aria-hidden className="size-4" /> left out
        </span>
      );
    case 'failed':
      return (
        <span className="flex basis-full items-start gap-1 text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />{' '}
          <span className="break-words">
            {item.error.message} {wayOut(item.error)}
          </span>
        </span>
      );
  }
}
