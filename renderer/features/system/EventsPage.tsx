// Events of the server, newest first, updated live.
import { Pause, Play, Radio } from 'lucide-react';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { flagParam, textParam, useFilterState } from '../../navigation/search-state.ts';
import { kindNamed, kindTable } from '../../kinds/kind-table.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { Checkbox } from '../../ui/input/Checkbox.tsx';
import { Combobox } from '../../ui/input/Combobox.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { LoadFailure } from '../../ui/feedback/LoadFailure.tsx';
import { formatNumber } from '../../ui/status/format.ts';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { SkeletonLines } from '../../ui/feedback/Skeleton.tsx';
import { Toolbar } from '../../ui/table/Toolbar.tsx';
import { EventRow } from './EventRow.tsx';
import { useServerEvents, type ServerEvents } from './model/use-server-events.ts';
import { RowList } from '../../ui/table/RowList.tsx';

const PARAMS = { kind: textParam, name: textParam, type: textParam, heartbeats: flagParam, paused: flagParam };
const KINDS = kindTable.map(({ kind }) => ({ value: kind }));

export function EventsPage() {
  usePageTitle('Events');
  const { scope, namespace } = useScope();
  const [{ kind, name, type, heartbeats, paused }, setFilters, setState] = useFilterState(PARAMS);
  // An owner of heartbeats sends one every few seconds: they would bury all other events.
  const ownsHeartbeats = kindNamed(kind)?.heartbeats === true;
  const quiet = !heartbeats && !ownsHeartbeats;
  const given = Object.entries({ namespace, kind, name, type }).filter(([, value]) => value !== undefined && value !== '');
  const events = useServerEvents({ ...Object.fromEntries(given), ...(quiet && { heartbeats: false }) }, paused);
  const types = [...new Set(events.events.map((event) => event.type))].sort().map((value) => ({ value }));
  const filtered = kind !== '' || name !== '' || type !== '';
  return (
    <>
      <PageHeader
        title="Events"
        meta={paused ? 'Paused: new events are held back.' : 'Live events of the server.'}
        actions={
          <Button icon={paused ? <Play /> : <Pause />} aria-pressed={paused} onClick={() => setState({ paused: !paused })}>
            {paused ? (events.held > 0 ? `Resume, ${formatNumber(events.held)} new` : 'Resume') : 'Pause'}
          </Button>
        }
      />
      <Toolbar
        label="Filters"
        aside={
          filtered && (
            <Button size="sm" onClick={() => setFilters({ kind: '', name: '', type: '' })}>
              Clear
            </Button>
          )
        }
      >
        <Combobox
          aria-label="Kind"
          placeholder="Any kind"
          className="w-44"
          value={kind}
          options={KINDS}
          onChange={(value) => setFilters({ kind: value })}
        />
        <Combobox
          aria-label="Type"
          placeholder="Any type"
          className="w-52"
          allowCustom
          value={type}
          options={types}
          onChange={(value) => setFilters({ type: value })}
        />
        <Combobox
          aria-label="Name"
          placeholder="Any name"
          className="w-44"
          allowCustom
          value={name}
          options={[]}
          onChange={(value) => setFilters({ name: value })}
        />
        {!ownsHeartbeats && (
          <Checkbox label="Heartbeats of workers" checked={heartbeats} onChange={(on) => setFilters({ heartbeats: on })} />
        )}
      </Toolbar>
      {events.gap && <Banner tone="warn">The event stream was interrupted. The list was reloaded.</Banner>}
      <EventList events={events} filtered={filtered} scope={scope} named={namespace === undefined} />
    </>
  );
}

interface EventListProps {
  readonly events: ServerEvents;
  readonly filtered: boolean;
  readonly scope: string;
  readonly named: boolean;
}

function EventList({ events: { events, loading, error, hasMore, loadingMore, loadMore, retry }, filtered, scope, named }: EventListProps) {
  if (error != null)
    return (
      <LoadFailure
        error={error}
        title="The events could not be loaded"
        forbidden="You may not read events"
        onRetry={retry}
        className="m-6"
      />
    );
  if (loading) return <SkeletonLines widths={['w-2/3', 'w-1/2', 'w-3/5']} className="p-6" />;
  if (events.length === 0)
    return (
      <EmptyState
        cause={filtered ? 'filtered' : 'none'}
        icon={filtered ? undefined : <Radio />}
        title={filtered ? 'No event fits these filters' : 'No events here'}
      >
        {filtered ? 'Remove a filter or switch namespace.' : 'Events appear here as they happen. Old events are removed after a while.'}
      </EmptyState>
    );
  return (
    <>
      <RowList label="Events" className="border-t border-border">
        {events.map((event) => (
          <EventRow key={event.id} event={event} scope={scope} named={named} />
        ))}
      </RowList>
      <div className="p-4 text-center text-sm text-muted">
        {hasMore ? (
          <Button size="sm" busy={loadingMore} onClick={loadMore}>
            Show older events
          </Button>
        ) : (
          'This is the oldest event that is kept.'
        )}
      </div>
    </>
  );
}
