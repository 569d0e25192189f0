// Events of an object, newest first, updated live.
import type { EventRecord } from '@svc/shared/api/watch';
import type { Resource } from '@svc/shared/resource';
import { ChevronRight, Radio } from 'lucide-react';
import { useMemo, useState } from 'react';
import { textParam, useSearchState } from '../../../navigation/search-state.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { Toolbar } from '../../../ui/table/Toolbar.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { useServerEvents } from '../../system/model/use-server-events.ts';

const PARAMS = { event: textParam };

/** By type, the most frequent first. */
function typesOf(events: readonly EventRecord[]): { readonly id: string; readonly label: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([type, count]) => ({ id: type, label: type, count }));
}

export function EventsTab({ resource }: { readonly resource: Resource }) {
  const [{ event: wanted }, setState] = useSearchState(PARAMS);
  const {
    kind,
    metadata: { namespace, name, uid },
  } = resource;
  const { events, loading, error, hasMore, loadingMore, loadMore, retry } = useServerEvents({ kind, namespace, name, uid });
  const types = useMemo(() => typesOf(events), [events]);
  const shown = wanted === '' ? events : events.filter(({ type }) => type === wanted);
  if (error != null && events.length === 0) {
    return <ErrorCard error={error} title="The events could not be loaded" onRetry={retry} className="m-6" />;
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {types.length > 1 && (
        <Toolbar label="Filters">
          <FilterChips
            label="Types of events"
            chips={types}
            selected={new Set(wanted === '' ? [] : [wanted])}
            onToggle={(type) => setState({ event: type === wanted ? '' : type })}
          />
        </Toolbar>
      )}
      {loading && <SkeletonLines widths={['w-2/3', 'w-1/2']} className="p-6" />}
      {!loading && shown.length === 0 && (
        <EmptyState
          cause={wanted === '' ? 'none' : 'filtered'}
          icon={<Radio />}
          title={wanted === '' ? 'No events' : 'No events of this type'}
          action={wanted !== '' && <Button onClick={() => setState({ event: '' })}>Show all types</Button>}
        >
          {wanted === '' ? 'Old events are removed after a while. New events appear here.' : undefined}
        </EmptyState>
      )}
      <ol aria-label="Events" className="flex flex-col">
        {shown.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ol>
      {hasMore && (
        <div className="p-4">
          <Button size="sm" busy={loadingMore} onClick={loadMore}>
            Show older events
          </Button>
        </div>
      )}
    </div>
  );
}

function EventRow({ event }: { readonly event: EventRecord }) {
  const [open, setOpen] = useState(false);
  return (
    <li className="border-b border-border/60 px-6 max-sm:px-4">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="grid w-full grid-cols-[1rem_var(--time-width)_minmax(8rem,13rem)_1fr] items-baseline gap-x-3 py-1.5 text-left hover:bg-hover max-sm:grid-cols-[1rem_var(--time-width)_1fr]"
      >
        <ChevronRight aria-hidden className={cn('size-3.5 self-center text-faint transition-transform', open && 'rotate-90')} />
        <Time at={event.timestamp} className="text-sm text-muted" />
        <span className="truncate font-mono text-sm">{event.type}</span>
        <UntrustedText text={event.message} className="min-w-0 max-sm:col-span-3 max-sm:col-start-1 max-sm:pl-7" />
      </button>
      {open && (
        <div className="flex flex-col gap-2 pb-3 pl-7">
          <p className="text-sm text-muted">
            From {event.source}, number {event.id}
          </p>
          <JsonTree label={`Data of event ${event.id}`} value={event.data} />
        </div>
      )}
    </li>
  );
}
