// Metrics of a run: in total, by agent, by edge.
import type { RunMetrics } from '@svc/shared/api/runs';
import { useMemo } from 'react';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { formatCompact, formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { StatTile } from '../../../ui/status/StatTile.tsx';
import { StatsTable } from './StatsTable.tsx';
import type { Run } from '../model/run.ts';
import { useMetrics } from '../model/use-run.ts';

export function MetricsTab({ run }: { readonly run: Run }) {
  const query = useMetrics(run);
  if (!query.data) return <QueryState query={query} title="The statistics could not be loaded" skeleton="h-24" className="m-6" />;
  if (query.data.totals.messages === 0)
    return (
      <EmptyState cause="none" title="No metrics yet">
        Metrics appear with the first message to an agent.
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-4 p-6 max-sm:p-4">
      <Totals metrics={query.data} />
      <Breakdown metrics={query.data} />
    </div>
  );
}

function Totals({ metrics: { totals } }: { readonly metrics: RunMetrics }) {
  const average = Number(totals['latency_ms_avg'] ?? Number.NaN);
  const p95 = Number(totals['latency_ms_p95'] ?? Number.NaN);
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4 2xl:grid-cols-7">
      <StatTile
        label="Messages"
        value={formatNumber(totals.messages)}
        note={totals.in_flight > 0 ? `${totals.in_flight} in flight` : undefined}
      />
      <StatTile label="Tokens" value={formatCompact(totals.tokens)} />
      <StatTile
        label="Cost"
        value={totals.cost_usd === null ? 'unknown' : formatCost(totals.cost_usd)}
        note={totals.unpriced_calls > 0 ? `${totals.unpriced_calls} calls unpriced` : undefined}
      />
      <StatTile label="Tool calls" value={formatNumber(totals.tool_calls)} />
      <StatTile label="Avg turn" value={<span className="whitespace-nowrap">{formatDuration(average)}</span>} />
      <StatTile label="p95 turn" value={<span className="whitespace-nowrap">{formatDuration(p95)}</span>} />
      <StatTile
        label="Retries"
        value={formatNumber(totals.retry_count)}
        note={totals.deadletter > 0 ? <span className="text-danger">{`${totals.deadletter} dead-lettered`}</span> : undefined}
      />
    </div>
  );
}

function Breakdown({ metrics }: { readonly metrics: RunMetrics }) {
  const agents = useMemo(() => metrics.per_agent.map((each) => ({ key: each.agent, label: each.agent, metrics: each })), [metrics]);
  const edges = useMemo(
    () =>
      metrics.per_edge.map((each) => ({
        key: `${each.from_agent} ${each.to_agent}`,
        label: `${each.from_agent === '' ? 'start' : each.from_agent} → ${each.to_agent}`,
        metrics: each,
      })),
    [metrics],
  );
  return (
    <>
      <Card title="By agent" flush>
        <StatsTable label="Stats by agent" what="Agent" rows={agents} />
      </Card>
      <Card title="By connection" description="Work that followed the messages from one agent to another." flush>
        <StatsTable label="Stats by connection" what="Connection" rows={edges} />
      </Card>
    </>
  );
}
