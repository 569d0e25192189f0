// One worker: how it is, what it offers, what it holds now, what happened to it.
import { useQuery } from '@tanstack/react-query';
import { objectAddress } from '../../navigation/addresses.ts';
import { client } from '../../live/api.ts';
import { Badge } from '../../ui/Badge.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { Inspector } from '../../ui/Inspector.tsx';
import { Link } from '../../ui/Link.tsx';
import { LinkButton } from '../../ui/LinkButton.tsx';
import { Section } from '../../ui/Section.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { PhasePill } from '../../ui/PhasePill.tsx';
import { Time } from '../../ui/Time.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { HeartbeatAge } from './HeartbeatAge.tsx';
import { LeaseList } from './LeaseList.tsx';
import { SlotsBar } from './parts/SlotsBar.tsx';
import { isLost, type WorkerView } from './model/worker.ts';

const EVENTS_SHOWN = 20;

export interface WorkerInspectorProps {
  readonly worker: WorkerView;
  readonly scope: string;
  readonly onClose: () => void;
}

export function WorkerInspector({ worker, scope, onClose }: WorkerInspectorProps) {
  const { namespace, name, resource } = worker;
  return (
    <Inspector
      title={name}
      onClose={onClose}
      storageKey="workers.inspector"
      actions={
        <LinkButton size="sm" href={objectAddress({ kind: 'Worker', namespace, name }, scope)}>
          Open
        </LinkButton>
      }
    >
      <div className="flex flex-col gap-6 p-4">
        <DescriptionList
          items={[
            { term: 'State', detail: <PhasePill phase={worker.phase} kind="Worker" /> },
            { term: 'Heartbeat', detail: <HeartbeatAge at={worker.heartbeat} lost={isLost(worker.phase)} /> },
            {
              term: 'Slots',
              detail: isLost(worker.phase) ? (
                `takes none; it had ${worker.slots}`
              ) : (
                <SlotsBar taken={worker.running} slots={worker.slots} label={`Slots of ${name}`} className="max-w-56" />
              ),
            },
            { term: 'Region', detail: worker.region || 'none said' },
            { term: 'GPU', detail: worker.gpu ? 'yes' : 'no' },
            { term: 'Models', detail: worker.models.length === 0 ? 'any' : worker.models.join(', ') },
            { term: 'Registered', detail: <Time at={resource.metadata.createdAt} sentence /> },
          ]}
        />
        <LeaseList worker={worker} scope={scope} />
        <Section title="Isolation" description="Where tools of its runs can be isolated.">
          {worker.isolation.length === 0 && <p className="text-muted">It has not said yet.</p>}
          <ul className="flex flex-col gap-3">
            {worker.isolation.map(({ backend, modes, available, message }) => (
              <li key={backend}>
                <p className="flex flex-wrap items-baseline gap-2">
                  <span className="font-medium">{backend}</span>
                  <Badge tone={available ? 'ok' : 'neutral'}>{available ? 'Answers' : 'Not available'}</Badge>
                  <span className="text-sm text-muted">{modes.join(', ')}</span>
                </p>
                {message !== '' && (
                  <p className="text-pretty text-muted">
                    <UntrustedText text={message} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        </Section>
        <WorkerEvents worker={worker} scope={scope} />
      </div>
    </Inspector>
  );
}

function WorkerEvents({ worker: { namespace, name, resource }, scope }: Pick<WorkerInspectorProps, 'worker' | 'scope'>) {
  const { phase } = resource.status;
  const { data, error, isPending, refetch } = useQuery({
    // Asked again when its state has changed, which is when something happened.
    queryKey: ['worker-events', namespace, name, phase],
    queryFn: ({ signal }) => client.server.events.query({ kind: 'Worker', namespace, name, order: '-createdAt', limit: 100 }, { signal }),
  });
  // A heartbeat is an update every few seconds, and says nothing.
  const events = (data?.items ?? []).filter(({ type }) => type !== 'resource.updated').slice(0, EVENTS_SHOWN);
  return (
    <Section
      title="What happened to it"
      actions={
        <Link href={objectAddress({ kind: 'Worker', namespace, name }, scope, { tab: 'events' })} className="text-sm">
          All events
        </Link>
      }
    >
      {isPending && <Skeleton className="w-1/2" />}
      {!data && error && <ErrorCard error={error} title="The events could not be loaded" onRetry={() => void refetch()} />}
      {data && events.length === 0 && <p className="text-muted">Only heartbeats lately.</p>}
      <ol className="flex flex-col gap-1.5">
        {events.map((event) => (
          <li key={event.id} className="grid grid-cols-[4.5rem_1fr] gap-2">
            <Time at={event.timestamp} className="text-sm text-muted" />
            <UntrustedText text={event.message} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
