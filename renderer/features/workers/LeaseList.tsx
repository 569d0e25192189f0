// The runs that a worker holds now, each with the lease it holds it by.
import { useQueries, useQuery } from '@tanstack/react-query';
import { objectAddress } from '../../app/addresses.ts';
import { api } from '../../live/api.ts';
import { Time } from '../../ui/Time.tsx';
import { Duration } from '../../ui/Duration.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { Link } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { leaseOf } from '../runs/explain-sentence.ts';
import type { WorkerView } from './worker.ts';

const READ_MAX = 1000;
const SHOWN_MAX = 20;
/** Leases are renewed all the time, and runs of other namespaces are not in the tab's stream. */
const AGAIN_MS = 5_000;

export function LeaseList({ worker, scope }: { readonly worker: WorkerView; readonly scope: string }) {
  const input = { kind: 'Task', fieldSelector: 'status.phase=Running', order: 'createdAt' as const, limit: READ_MAX };
  const { data, error, isPending, refetch } = useQuery(api.resources.list.queryOptions(input, { refetchInterval: AGAIN_MS }));
  const held = (data?.items ?? []).filter(({ status }) => status['assignedWorker'] === worker.name);
  const shown = held.slice(0, SHOWN_MAX);
  const leases = useQueries({
    queries: shown.map(({ metadata: { namespace, name } }) =>
      api.runs.explain.queryOptions({ namespace, name }, { refetchInterval: AGAIN_MS, retry: false }),
    ),
  });
  return (
    <Section title="Runs it holds" description={held.length > SHOWN_MAX ? `The first ${SHOWN_MAX} of ${held.length}.` : undefined}>
      {isPending && <Skeleton className="w-1/2" />}
      {!data && error && <ErrorCard error={error} title="Its runs could not be loaded" onRetry={() => void refetch()} />}
      {data && held.length === 0 && <p className="text-muted">None right now.</p>}
      <ul className="flex flex-col gap-1.5">
        {shown.map(({ metadata, status }, index) => {
          const lease = leaseOf(leases[index]?.data?.reasons ?? []);
          const { startedAt } = status as { readonly startedAt?: string };
          return (
            <li key={metadata.uid} className="flex items-baseline gap-3">
              <Link href={objectAddress({ kind: 'Task', ...metadata }, scope)} className="min-w-0 flex-1 truncate">
                {metadata.namespace}/{metadata.name}
              </Link>
              <span className="text-muted">
                <Duration from={startedAt} />
              </span>
              {lease !== undefined && (
                <span className="flex items-baseline gap-1 text-sm text-muted" title="Its lease; each heartbeat renews it">
                  lease ends <Time at={lease} sentence />
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
