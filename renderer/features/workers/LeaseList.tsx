// Runs that a worker holds, each with its lease.
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { Duration } from '../../ui/status/Duration.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { Section } from '../../ui/layout/Section.tsx';
import { useNow } from '../../ui/status/clock.ts';
import type { WorkerView } from './model/worker.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, client } from '../../live/api.ts';
import { queryClient } from '../../live/query-client.ts';

export function LeaseList({ worker }: { readonly worker: WorkerView }) {
  const query = useHeldRuns(worker.name);
  const runs = query.data?.runs ?? [];
  return (
    <Section title="Held runs" description={query.data?.more ? `First ${runs.length} of more.` : undefined}>
      <QueryState query={query} title="The held runs could not be loaded" skeleton="w-1/2" />
      {query.data && runs.length === 0 && <p className="text-muted">No held runs.</p>}
      <ul className="flex flex-col gap-1.5">
        {runs.map(({ uid, namespace, name, startedAt, leaseUntil }) => (
          <li key={uid} className="flex flex-wrap items-baseline gap-x-3">
            <PeekLink object={{ kind: 'Task', namespace, name }} className="min-w-32 flex-1 truncate">
              {namespace}/{name}
            </PeekLink>
            <span className="text-muted">
              <Duration from={startedAt} />
            </span>
            <span className="flex items-baseline gap-1 text-sm text-muted" title="Each heartbeat renews the lease">
              <LeaseEnd at={leaseUntil} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function LeaseEnd({ at }: { readonly at: string }) {
  const over = useNow(1000) > Date.parse(at);
  return (
    <>
      lease {over ? 'ended' : 'ends'} <Time at={at} sentence />
    </>
  );
}

/** Runs that one worker holds. They have a stream of their own, since no other stream carries leases and runs of other namespaces. */
function useHeldRuns(worker: string) {
  useEffect(() => {
    const stream = client.live.held.subscribe(
      { worker },
      { onData: (data) => queryClient.setQueryData(api.runs.held.queryKey({ worker }), data) },
    );
    return () => stream.unsubscribe();
  }, [worker]);
  return useQuery(api.runs.held.queryOptions({ worker }));
}
