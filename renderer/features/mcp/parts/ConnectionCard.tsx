// Connection of an MCP server: its state in one line, and what happened to it, newest first.
import type { Resource } from '@svc/shared/resource';
import { PlugZap } from 'lucide-react';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { useServerEvents } from '../../system/model/use-server-events.ts';
import { timelineOf, type TimelineEntry } from '../model/timeline.ts';

const KIND = 'McpServer';

export function ConnectionCard({ resource }: { readonly resource: Resource }) {
  const { namespace, name, uid } = resource.metadata;
  const { events, loading, error, hasMore, loadingMore, loadMore, retry } = useServerEvents({ kind: KIND, namespace, name, uid });
  const entries = timelineOf(events);
  return (
    <Card
      flush
      title="Connection"
      footer={
        hasMore ? (
          <Button size="sm" busy={loadingMore} onClick={loadMore}>
            Show older events
          </Button>
        ) : undefined
      }
    >
      <Facts resource={resource} newest={entries[0]} />
      {error != null && entries.length === 0 && (
        <ErrorCard className="m-4" title="The events could not be loaded" error={error} onRetry={retry} />
      )}
      {loading && <Skeleton className="m-4 h-16" />}
      {!loading && error == null && entries.length === 0 && (
        <EmptyState cause="none" icon={<PlugZap />} title="No connections yet" className="py-6">
          Each connection, each failure and each change of the list appears here. Old events are removed after a while.
        </EmptyState>
      )}
      {entries.length > 0 && (
        <ol aria-label="Connection, newest first" tabIndex={0} className="max-h-72 overflow-auto border-t border-border -outline-offset-2">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Facts({ resource, newest }: { readonly resource: Resource; readonly newest: TimelineEntry | undefined }) {
  const { transport, protocol_version: pinned } = specOf(KIND, resource);
  const { phase, protocolVersion, lastSyncedAt } = statusOf(KIND, resource);
  const failure =
    newest?.attempt === undefined
      ? []
      : [
          { term: 'Failed', detail: newest.attempt },
          // Failures of slow attempts that repeat the last one are not in the log.
          { term: 'Next attempt', detail: phase === 'Error' ? 'every minute' : <Time at={newest.nextAttemptAt} sentence /> },
        ];
  return (
    <DescriptionList
      look="tiles"
      className="p-4"
      items={[
        { term: 'State', detail: <PhasePill phase={phase} kind={KIND} /> },
        { term: 'Transport', detail: transport === 'http' ? 'HTTP' : transport },
        { term: 'Protocol', detail: <Protocol version={protocolVersion} pinned={pinned !== undefined} /> },
        { term: 'List read', detail: <Time at={lastSyncedAt} sentence /> },
        ...failure,
      ]}
    />
  );
}

function Protocol({ version, pinned }: { readonly version: string | undefined; readonly pinned: boolean }) {
  if (version === undefined) return <span className="text-faint">–</span>;
  return (
    <>
      {version}
      {pinned && <span className="text-muted"> pinned</span>}
    </>
  );
}

function Entry({ entry: { at, label, tone, text, attempt } }: { readonly entry: TimelineEntry }) {
  return (
    <li className="grid grid-cols-[7rem_6rem_minmax(0,1fr)] items-baseline gap-x-3 border-b border-border/60 px-4 py-1.5 last:border-b-0 max-sm:grid-cols-[7rem_minmax(0,1fr)]">
      <span>
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span className="text-sm text-muted">
        <Time at={at} sentence />
      </span>
      <span className="min-w-0 max-sm:col-span-2">
        <UntrustedText text={text} className="inline-block first-letter:uppercase" />
        {attempt !== undefined && <span className="text-sm text-muted"> ({attempt})</span>}
      </span>
    </li>
  );
}
