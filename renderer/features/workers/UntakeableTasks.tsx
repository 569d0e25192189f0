// Runs that wait although workers are there: which ones no worker can take, and what is missing, in the server's words.
import type { Resource } from '@svc/shared/resource';
import { useQueries, useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { objectAddress } from '../../app/addresses.ts';
import { api } from '../../live/api.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { Link } from '../../ui/Link.tsx';
import { Mono } from '../../ui/Mono.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { isUntakeable } from './worker.ts';

/** Each is asked about by itself, so only the ones that have waited longest are. */
const ASKED_MAX = 24;
const READ_MAX = 200;
/** The answer changes with the fleet, which the runs themselves do not tell. */
const AGAIN_MS = 10_000;

export interface UntakeableTasksProps {
  readonly scope: string;
  readonly namespace: string | undefined;
}

export function UntakeableTasks({ scope, namespace }: UntakeableTasksProps) {
  const { found, asked, waiting, loading, error, retry } = useUntakeable(namespace);
  return (
    <Card
      title="Runs that no worker can take"
      description={
        waiting > asked
          ? `Of the ${asked} that have waited longest; ${waiting} wait in all.`
          : 'Asked of the server for every run that waits.'
      }
      flush
    >
      {loading && <Skeleton className="m-4 w-1/2" />}
      {error != null && <ErrorCard error={error} title="The waiting runs could not be loaded" onRetry={retry} className="m-4" />}
      {!loading && error == null && found.length === 0 && (
        <p className="flex items-center gap-2 px-4 py-3 text-muted">
          <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />
          {waiting === 0 ? 'No run waits for a worker.' : 'Every run that waits has a worker that can take it.'}
        </p>
      )}
      <ul className="divide-y divide-border/60">
        {found.map(({ run, code, message }) => (
          <li key={run.metadata.uid} className="flex items-start gap-3 px-4 py-2.5">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <Link href={objectAddress({ kind: 'Task', ...run.metadata }, scope)} look="quiet" className="font-medium">
                  {run.metadata.name}
                </Link>
                <Badge tone="warn">
                  <Mono>{code}</Mono>
                </Badge>
                <span className="text-sm text-muted">
                  waits since <Time at={run.metadata.createdAt} sentence />
                </span>
              </p>
              <p className="text-pretty text-muted">
                <UntrustedText text={message} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function useUntakeable(namespace: string | undefined) {
  const where = namespace === undefined ? {} : { namespace };
  const list = useQuery(
    api.resources.list.queryOptions({ kind: 'Task', ...where, fieldSelector: 'status.phase=Pending', order: 'createdAt', limit: READ_MAX }),
  );
  const waiting = (list.data?.items ?? []).filter(({ spec }) => spec['mode'] !== 'template');
  const asked = waiting.slice(0, ASKED_MAX);
  const answers = useQueries({
    queries: asked.map(({ metadata: { namespace: home, name } }) =>
      api.runs.explain.queryOptions({ namespace: home, name }, { refetchInterval: AGAIN_MS, retry: false }),
    ),
  });
  const found = asked.flatMap((run, index): { run: Resource; code: string; message: string }[] => {
    const reason = answers[index]?.data?.reasons.find(({ code }) => isUntakeable(code));
    return reason ? [{ run, code: reason.code, message: reason.message }] : [];
  });
  return {
    found,
    asked: asked.length,
    waiting: waiting.length,
    loading: list.isPending || answers.some(({ isPending }) => isPending),
    error: list.data ? null : list.error,
    retry: () => void list.refetch(),
  };
}
