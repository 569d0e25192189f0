// Free capacity of the fleet.
import { TriangleAlert } from 'lucide-react';
import { pageAddress } from '../../navigation/addresses.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { PhasePill } from '../../ui/status/PhasePill.tsx';
import { SlotsBar } from '../workers/parts/SlotsBar.tsx';
import { useWorkers } from '../workers/model/use-workers.ts';
import { capacityOf, isLost, remedyOf, stateOf } from '../workers/model/worker.ts';

const SHOWN_MAX = 4;

export function WorkerCapacity({ scope }: { readonly scope: string }) {
  const { workers, ...query } = useWorkers();
  const capacity = capacityOf(workers);
  return (
    <Card
      title="Workers"
      description={query.data && `${capacity.ready} of ${capacity.workers} ready, ${capacity.taken} of ${capacity.slots} slots taken`}
      actions={
        <Link href={pageAddress(scope, 'workers')} className="text-sm">
          All workers
        </Link>
      }
      flush
    >
      <QueryState query={query} title="The workers could not be loaded" skeleton="w-2/3" className="m-4" />
      {query.data && capacity.ready === 0 && (
        <p className="flex items-start gap-2 px-4 py-3">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          <span>No worker is ready, so runs do not start. {remedyOf(workers)}</span>
        </p>
      )}
      <ul className="divide-y divide-border/60">
        {workers.slice(0, SHOWN_MAX).map(({ key, namespace, name, phase, running, slots, suspended }) => (
          <li key={key} className="flex items-center gap-3 px-4 py-2">
            <PeekLink
              object={{ kind: 'Worker', namespace, name }}
              scope={scope}
              look="quiet"
              className="min-w-0 flex-1 truncate font-medium"
            >
              {name}
            </PeekLink>
            <PhasePill phase={stateOf({ phase, suspended })} kind="Worker" look="quiet" />
            {isLost(phase) ? (
              <span className="w-32 text-right text-sm text-muted">not ready</span>
            ) : (
              <SlotsBar taken={running} slots={slots} label={`Slots of ${name}`} className="w-32" />
            )}
          </li>
        ))}
      </ul>
      {workers.length > SHOWN_MAX && (
        <p className="border-t border-border/60 px-4 py-2 text-sm text-muted">and {workers.length - SHOWN_MAX} more</p>
      )}
    </Card>
  );
}
