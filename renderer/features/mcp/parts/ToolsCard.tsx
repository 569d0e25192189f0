// Tools of an MCP server: discovered, filtered out and generated, each with its schemas, its estimated cost and a trial.
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import type { Resource } from '@svc/shared/resource';
import { Wrench } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { useListPages } from '../../../live/list-pages.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { NameSearch } from '../../../ui/table/NameSearch.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { toolRows, totalTokens, type ToolRow as Row, type ToolRowState } from '../model/tool-rows.ts';
import { ToolRow } from './ToolRow.tsx';

const KIND = 'McpServer';
const PAGE = 500;
const SHOWN_FIRST = 100;
const SEARCHED_FROM = 10;
const all = (read: readonly Resource[]): readonly Resource[] => read;
const counted = new Intl.NumberFormat('en');

const STATES: readonly { readonly id: ToolRowState; readonly label: string }[] = [
  { id: 'generated', label: 'Generated' },
  { id: 'filtered', label: 'Filtered out' },
  { id: 'missing', label: 'Not imported' },
  { id: 'unlisted', label: 'Not listed' },
];

export function ToolsCard({ resource }: { readonly resource: Resource }) {
  const { namespace, name } = resource.metadata;
  const input = useMemo(
    () => ({ kind: 'Tool', namespace, labelSelector: `${MCP_SERVER_OWNER}=${name}`, order: 'name' as const, limit: PAGE }),
    [namespace, name],
  );
  const { rows: tools, error, loading: isFirst, hasMore, loadMore, loadingMore, retry } = useListPages({ input, rowsOf: all });
  // A tool whose Tool is on a later page would look as if it had none, and a server has at most 2,000.
  const reading = hasMore && error === null;
  useEffect(() => {
    if (reading && !loadingMore) loadMore();
  }, [reading, loadingMore, loadMore]);
  const failed = error !== null && (hasMore || tools.length === 0);
  const read = !isFirst && !reading && !failed;
  const { tool_filter: filter } = specOf(KIND, resource);
  const { discoveredTools } = statusOf(KIND, resource);
  const rows = useMemo(
    () => toolRows({ status: { ...(discoveredTools && { discoveredTools }) }, include: filter?.include, tools }),
    [discoveredTools, filter, tools],
  );
  return (
    <Card flush title="Tools" description={!read || rows.length === 0 ? undefined : <Cost rows={rows} />}>
      {failed && <ErrorCard className="m-4" title="The tools could not be loaded" error={error} onRetry={retry} />}
      {!read && !failed && <Skeleton className="m-4 h-24" />}
      {read && rows.length === 0 && (
        <EmptyState cause="none" icon={<Wrench />} title="No tools" className="py-8">
          {discoveredTools === undefined ? 'The list has not been read yet.' : 'The server lists no tools.'}
        </EmptyState>
      )}
      {read && rows.length > 0 && <ToolList server={resource} rows={rows} />}
    </Card>
  );
}

function Cost({ rows }: { readonly rows: readonly Row[] }) {
  const generated = rows.filter(({ state }) => state === 'generated').length;
  const discovered = rows.filter(({ state }) => state !== 'unlisted').length;
  const tokens = counted.format(totalTokens(rows));
  return (
    <>
      {generated} of {discovered} are Tools. Together they take about <strong>{tokens} tokens</strong> of each model call, by length of
      text.
    </>
  );
}

function ToolList({ server, rows }: { readonly server: Resource; readonly rows: readonly Row[] }) {
  const [state, setState] = useState<ToolRowState>();
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(SHOWN_FIRST);
  const chips = STATES.map((each) => ({ ...each, count: rows.filter((row) => row.state === each.id).length })).filter(
    ({ count }) => count > 0,
  );
  const most = Math.max(1, ...rows.map(({ tokens = 0 }) => tokens));
  const wanted = search.toLowerCase();
  const found = rows.filter((row) => (state === undefined || row.state === state) && row.name.toLowerCase().includes(wanted));
  return (
    <>
      {(chips.length > 1 || rows.length > SEARCHED_FROM) && (
        <div className="flex flex-wrap items-center gap-3 border-b border-border px-4 py-2">
          {rows.length > SEARCHED_FROM && <NameSearch value={search} onChange={setSearch} title="Search by name of the tool" />}
          <FilterChips
            label="State of the tools"
            chips={chips}
            selected={new Set(state === undefined ? [] : [state])}
            onToggle={(id) => setState(id === state ? undefined : (id as ToolRowState))}
          />
        </div>
      )}
      {found.length === 0 && <EmptyState cause="filtered" title="No tool matches" className="py-8" />}
      <ul aria-label="Tools of the server">
        {found.slice(0, limit).map((row) => (
          <ToolRow key={row.name} server={server} row={row} most={most} />
        ))}
      </ul>
      {found.length > limit && (
        <div className="p-4">
          <Button size="sm" onClick={() => setLimit(limit + SHOWN_FIRST)}>
            Show {Math.min(SHOWN_FIRST, found.length - limit)} more
          </Button>
        </div>
      )}
    </>
  );
}
