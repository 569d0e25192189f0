// Verifies a checkpoint: its state is folded again from the journal and compared, without a call of a model or a tool.
import type { CheckpointReplay, SessionEvent } from '@svc/shared/api/sessions';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { client } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { refOf } from '../model/session.ts';
import type { ForkDialogProps } from './ForkDialog.tsx';

const PAGE = 200;

export function ReplayDialog({ session, checkpoint, title, onClose }: ForkDialogProps) {
  const ref = { ...refOf(session), id: checkpoint.id };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['checkpoint-replay', ref],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) =>
      client.checkpoints.replay.query({ ...ref, limit: PAGE, ...(after !== undefined && { after }) }, { signal }),
    getNextPageParam: (page: CheckpointReplay) => page.continue,
  });
  const first = data?.pages[0];
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Dialog open onClose={onClose} size="lg" title="Record of the checkpoint" description={title}>
      {error !== null && <ErrorCard title="The checkpoint could not be verified" error={error} onRetry={() => void refetch()} />}
      {!first && error === null && <Skeleton className="h-32" />}
      {first && (
        <div className="flex flex-col gap-4">
          <Verdict replay={first} />
          <EventList events={events} />
          {hasNextPage && (
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()} className="self-center">
              Show more events
            </Button>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Verdict({ replay: { verified, state_hash: hash } }: { readonly replay: CheckpointReplay }) {
  const Icon = verified ? CircleCheck : CircleAlert;
  return (
    <div role="status" className="flex items-start gap-2 rounded-md border border-border bg-sunken px-3 py-2">
      <Icon aria-hidden className={verified ? 'mt-0.5 size-4 shrink-0 text-ok' : 'mt-0.5 size-4 shrink-0 text-danger'} />
      <div className="min-w-0">
        <p className="font-medium">{verified ? 'The recorded state is unchanged' : 'The recorded state has another hash'}</p>
        <p className="text-sm text-muted">It was read again from the journal; no model or tool was called.</p>
        <p className="mt-1 font-mono text-sm break-all text-muted">SHA-256 {hash}</p>
      </div>
    </div>
  );
}

function EventList({ events }: { readonly events: readonly SessionEvent[] }) {
  return (
    <section aria-label="Events" className="min-w-0">
      <h3 className="mb-1 text-sm font-medium text-muted">Events up to the checkpoint</h3>
      <ol tabIndex={0} className="max-h-80 overflow-y-auto rounded-md border border-border bg-surface">
        {events.map(({ seq, type, timestamp }) => (
          <li key={seq} className="flex items-baseline gap-3 border-b border-border/60 px-3 py-1 text-sm last:border-0">
            <span className="w-10 shrink-0 text-right text-faint tabular-nums">{seq}</span>
            <span className="min-w-0 flex-1 truncate font-mono">{type}</span>
            <span className="shrink-0 text-faint">
              <Time at={timestamp} sentence />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
