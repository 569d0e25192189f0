// Cost of the model calls of a run, by agent and by model. An unknown price is shown as unknown, never as zero.
import { useQueries } from '@tanstack/react-query';
import { parseRef } from '@svc/shared/resource';
import { useMemo } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { costByAgent, costByEndpoint, pricesOf, totalCost } from './cost.ts';
import { CostTable, type CostLine } from './CostTable.tsx';
import { systemOf, type Run } from '../model/run.ts';
import type { RunPartProps } from './RunPage.tsx';

export function CostTab({ run, scope, trace }: RunPartProps) {
  const { store, version, state, retry } = trace;
  const loading = state.phase === 'loading';
  const rows = useMemo(() => (version >= 0 ? costByAgent(store.entries) : []), [store, version]);
  const { endpointOf, pricesAt } = useEndpoints(
    run,
    useMemo(() => rows.map(({ agent }) => agent), [rows]),
  );
  if (state.phase === 'failed' && rows.length === 0)
    return <ErrorCard className="m-6" title="The calls could not be loaded" error={state.error} onRetry={retry} />;
  if (rows.length === 0)
    return loading ? (
      <Skeleton className="m-6 h-24" />
    ) : (
      <EmptyState cause="none" title="No model calls yet">
        The cost of each call appears here.
      </EmptyState>
    );
  const total = totalCost(rows);
  const agents: CostLine[] = rows.map((row) => {
    const endpoint = endpointOf(row.agent);
    return { row, name: row.agent, prices: endpoint === undefined ? undefined : pricesAt(endpoint) };
  });
  const models: CostLine[] = costByEndpoint(rows, endpointOf).map((row) => ({
    row,
    name: row.agent === '' ? 'no longer known' : <EndpointLink endpoint={row.agent} scope={scope} />,
    prices: row.agent === '' ? undefined : pricesAt(row.agent),
  }));
  return (
    <div className="flex flex-col gap-4 p-6 max-sm:p-4">
      {total.unpriced > 0 && (
        <Banner tone="warn" className="rounded-lg">
          {total.unpriced === total.calls
            ? 'No call has a known price'
            : `${formatNumber(total.unpriced)} of ${formatNumber(total.calls)} calls have no known price`}
          : the sum leaves them out. Prices are set in the options of a model endpoint and apply to later calls only.
        </Banner>
      )}
      {store.full && (
        <Banner tone="info" className="rounded-lg">
          The trace is longer than the part added up here; the totals under Metrics cover all of it.
        </Banner>
      )}
      <Card title="By model" description="Prices are current, per million tokens. Costs are as recorded with each call." flush>
        <CostTable label="Cost by model" what="Model endpoint" lines={models} total={total} />
      </Card>
      <Card title="By agent" flush>
        <CostTable label="Cost by agent" what="Agent" lines={agents} total={total} />
      </Card>
    </div>
  );
}

function EndpointLink({ endpoint, scope }: { readonly endpoint: string; readonly scope: string }) {
  return (
    <PeekLink object={{ kind: 'ModelEndpoint', ...parseRef(endpoint, '') }} scope={scope}>
      {endpoint}
    </PeekLink>
  );
}

/** Current endpoint of each agent, and its prices. */
function useEndpoints(run: Run, names: readonly string[]) {
  const { namespace } = systemOf(run);
  const agents = useQueries({
    queries: names.map((name) => api.resources.get.queryOptions({ kind: 'Agent', ...parseRef(name, namespace) })),
  });
  const byAgent = new Map<string, string>();
  names.forEach((name, index) => {
    const agent = agents[index]?.data;
    const ref = agent && specOf('Agent', agent).model_ref;
    if (ref === undefined || ref === '') return;
    const endpoint = parseRef(ref, parseRef(name, namespace).namespace);
    byAgent.set(name, `${endpoint.namespace}/${endpoint.name}`);
  });
  const endpoints = [...new Set(byAgent.values())];
  const read = useQueries({
    queries: endpoints.map((endpoint) => api.resources.get.queryOptions({ kind: 'ModelEndpoint', ...parseRef(endpoint, namespace) })),
  });
  return {
    endpointOf: (agent: string) => byAgent.get(agent),
    pricesAt: (endpoint: string) => {
      const object = read[endpoints.indexOf(endpoint)]?.data;
      if (!object) return undefined;
      const { provider, options } = specOf('ModelEndpoint', object);
      // The mock model costs nothing unless it is given prices.
      return { ...(provider === 'mock' && { input: 0, output: 0 }), ...pricesOf(options) };
    },
  };
}
