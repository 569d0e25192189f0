// How a batch goes, object by object. Stays until it is closed, so that what failed can be read.
import type { Resource } from '@svc/shared/resource';
import { CircleAlert, CircleCheck, CircleDashed, CircleSlash } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { keyText } from './resource-facts.ts';
import { tally, type Batch, type BatchProgress, type ItemState } from './use-batch.ts';

export interface BatchDialogProps {
  readonly title: string;
  readonly resources: readonly Resource[];
  readonly batch: Batch;
  readonly progress: BatchProgress;
  readonly onClose: () => void;
}

const LISTED_MAX = 200;

export function BatchDialog({ title, resources, batch, progress, onClose }: BatchDialogProps) {
  const { done, failed, open } = tally(progress);
  const share = ((progress.size - open) / Math.max(1, progress.size)) * 100;
  // What failed is what one looks for.
  const rank = (each: Resource) => (progress.get(keyText(each))?.state === 'failed' ? 0 : 1);
  const sorted = [...resources].sort((a, b) => rank(a) - rank(b));
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!batch.busy}
      title={title}
      description={
        <span role="status">
          {done} of {progress.size} done{failed > 0 && `, ${failed} failed`}
        </span>
      }
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
      <div
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={progress.size}
        aria-valuenow={progress.size - open}
        className="mb-3 h-1 overflow-hidden rounded-full bg-neutral-soft"
      >
        <div className="h-full bg-accent transition-[width]" style={{ width: `${share}%` }} />
      </div>
      <ul className="flex max-h-72 flex-col overflow-auto rounded-md border border-border" tabIndex={0} aria-label="Results">
        {sorted.slice(0, LISTED_MAX).map((each) => (
          <li
            key={keyText(each)}
            className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border/60 px-3 py-1 last:border-0"
          >
            <span className="min-w-0 flex-1 truncate">{each.metadata.name}</span>
            <Outcome item={progress.get(keyText(each))} />
          </li>
        ))}
        {resources.length > LISTED_MAX && <li className="px-3 py-1 text-muted">and {resources.length - LISTED_MAX} more</li>}
      </ul>
    </Dialog>
  );
}

function Outcome({ item }: { readonly item: ItemState | undefined }) {
  switch (item?.state) {
    case undefined:
    case 'queued':
      return <CircleDashed aria-label="Queued" className="size-4 text-faint" />;
    case 'running':
      return <Spinner label="Under way" />;
    case 'done':
      return <CircleCheck aria-label="Done" className="size-4 text-ok" />;
    case 'skipped':
      return (
        <span className="flex items-center gap-1 text-muted">
          <CircleSlash aria-hidden className="size-4" /> left out
        </span>
      );
    case 'failed':
      return (
        <span className="flex basis-full items-start gap-1 text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" /> <span className="break-words">{item.error.message}</span>
        </span>
      );
  }
}
