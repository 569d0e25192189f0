// One worker for the inspector: state, offers, held runs, latest events.
import { useQuery } from '@tanstack/react-query';
import { objectAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import { kindNamed } from '../../../kinds/kind-table.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { useScope } from '../../../navigation/scope.ts';
import { client } from '../../../live/api.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { HeartbeatAge } from '../HeartbeatAge.tsx';
import { LeaseList } from '../LeaseList.tsx';
import { SlotsBar } from './SlotsBar.tsx';
import { useObject } from '../../explorer/model/use-object.ts';
import { SuspendButton } from '../../explorer/parts/SuspendButton.tsx';
import { useObjectActions } from '../../explorer/parts/use-object-actions.tsx';
import { isLost, readWorker, type WorkerView } from '../model/worker.ts';

const EVENTS_SHOWN = 20;

export function WorkerDetails({ object }: { readonly object: ObjectRef }) {
  const { scope } = useScope();
  const found = useObject(object);
  if (found.state !== 'there' && found.state !== 'deleted') return null;
  return <Details worker={readWorker(found.resource)} scope={scope} there={found.state === 'there'} />;
}

interface DetailsProps {
  readonly worker: WorkerView;
  readonly scope: string;
}

function Details({ worker, scope, there }: DetailsProps & { readonly there: boolean }) {
  const { name, resource } = worker;
  const { ask, dialogs } = useObjectActions({ kind: kindNamed(resource.kind) as KindSummary, scope });
  return (
    <div className="flex flex-col gap-6 px-6 py-4 max-sm:px-4">
      <DescriptionList
        items={[
          {
            term: 'State',
            detail: (
              <span className="flex flex-wrap items-center gap-2">
                <PhasePill phase={worker.phase} kind="Worker" />
                {worker.suspended && <Badge>Suspended</Badge>}
                {there && <SuspendButton resource={resource} ask={ask} size="sm" />}
              </span>
            ),
          },
          ...(worker.suspendReason === '' ? [] : [{ term: 'Suspended', detail: <UntrustedText text={worker.suspendReason} /> }]),
          { term: 'Heartbeat', detail: <HeartbeatAge at={worker.heartbeat} lost={isLost(worker.phase)} /> },
          {
            term: 'Slots',
            detail: isLost(worker.phase) ? (
              `none; ${worker.slots} when it was ready`
            ) : (
              <SlotsBar taken={worker.running} slots={worker.slots} label={`Slots of ${name}`} className="max-w-56" />
            ),
          },
          { term: 'Region', detail: worker.region || 'not set' },
          { term: 'GPU', detail: worker.gpu ? 'yes' : 'no' },
          { term: 'Models', detail: worker.models.length === 0 ? 'any' : worker.models.join(', ') },
          { term: 'Registered', detail: <Time at={resource.metadata.createdAt} sentence /> },
        ]}
      />
      {dialogs}
      <LeaseList worker={worker} />
      <Section title="Isolation" description="Isolation backends for the tools of its runs.">
        {worker.isolation.length === 0 && <p className="text-muted">Not reported yet.</p>}
        <ul className="flex flex-col gap-3">
          {worker.isolation.map(({ backend, modes, available, engine, message }) => (
            <li key={backend}>
              <p className="flex flex-wrap items-baseline gap-2">
                <span className="font-medium">{backend}</span>
                <Badge tone={available ? 'ok' : 'neutral'}>{available ? 'Available' : 'Not available'}</Badge>
                <span className="text-sm text-muted">{modes.join(', ')}</span>
              </p>
              {(available ? engine : message) !== '' && (
                <p className="text-pretty break-words text-muted">
                  <UntrustedText text={available ? engine : message} />
                </p>
              )}
            </li>
          ))}
        </ul>
      </Section>
      <WorkerEvents worker={worker} scope={scope} />
    </div>
  );
}

function WorkerEvents({ worker: { namespace, name, phase }, scope }: DetailsProps) {
  const query = useQuery({
    // Read again when its state changes.
    queryKey: ['worker-events', namespace, name, phase],
    queryFn: ({ signal }) => client.server.events.query({ kind: 'Worker', namespace, name, order: '-createdAt', limit: 100 }, { signal }),
  });
  // A heartbeat is an update every few seconds without news.
  const events = (query.data?.items ?? []).filter(({ type }) => type !== 'resource.updated').slice(0, EVENTS_SHOWN);
  return (
    <Section
      title="Events"
      actions={
        <Link href={objectAddress({ kind: 'Worker', namespace, name }, scope, { tab: 'events' })} className="text-sm">
          All events
        </Link>
      }
    >
      <QueryState query={query} title="The events could not be loaded" skeleton="w-1/2" />
      {query.data && events.length === 0 && <p className="text-muted">Only heartbeats recently.</p>}
      <ol className="flex flex-col gap-1.5">
        {events.map((event) => (
          <li key={event.id} className="grid grid-cols-[var(--time-width)_1fr] gap-2">
            <Time at={event.timestamp} className="text-sm text-muted" />
            <UntrustedText text={event.message} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
