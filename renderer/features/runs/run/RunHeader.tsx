// The head of a run's page: identity, state, times and cost.
import { taskOrigin } from '@svc/shared/run-origin';
import { Copy, GitBranch } from 'lucide-react';
import type { ReactNode } from 'react';
import { kindAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { useNow } from '../../../ui/status/clock.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { RunOriginText } from '../../approvals/parts/RunOriginText.tsx';
import { BreakpointBadge, TrialBadge } from '../../trials/parts/trial-marks.tsx';
import { EarlierRun } from '../parts/EarlierRun.tsx';
import { leaseOf } from '../model/explain-sentence.ts';
import { durationOf, hasEnded, isTemplate, outcomeOf, systemOf, tokensOf, waitedOf, type Run } from '../model/run.ts';
import { useExplanation, useMetrics } from '../model/use-run.ts';
import { useRunSystem } from './use-run-system.ts';

export interface RunHeaderProps {
  readonly run: Run;
  readonly scope: string;
  readonly deleted: boolean;
  /** True once the first rows of the trace are loaded, which matter most: views of the whole journal may load then. */
  readonly ready: boolean;
  readonly actions: ReactNode;
}

export function RunHeader({ run, scope, deleted, ready, actions }: RunHeaderProps) {
  return (
    <div className="z-20 border-b border-border bg-bg sm:sticky sm:top-0">
      <PageHeader
        className="pb-1.5"
        crumbs={[{ label: 'Runs', href: kindAddress(scope, 'Task') }, { label: run.metadata.namespace }]}
        title={run.metadata.name}
        status={deleted ? <Badge tone="danger">Deleted</Badge> : <RunState run={run} />}
        meta={<RunSource run={run} scope={scope} />}
        actions={actions}
      />
      <Facts run={run} scope={scope} ready={ready} />
    </div>
  );
}

function RunState({ run }: { readonly run: Run }) {
  if (isTemplate(run)) return <Badge icon={<Copy />}>Template</Badge>;
  return (
    <>
      <PhasePill phase={outcomeOf(run)} />
      <BreakpointBadge run={run} />
      <TrialBadge run={run} />
    </>
  );
}

function RunSource({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const { generation } = useRunSystem(run);
  return (
    <>
      <PeekLink object={systemOf(run)} scope={scope} className="inline-flex items-center gap-1">
        <GitBranch aria-hidden className="size-3.5 shrink-0" />
        {run.spec.system}
        {generation !== undefined && (
          <span className="shrink-0 text-muted" title="Version of the system when the run began">
            @{generation}
          </span>
        )}
      </PeekLink>
      <EarlierRun run={run} scope={scope} />
      {!isTemplate(run) && <RunOriginText origin={taskOrigin(run.metadata, run.spec)} scope={scope} />}
      <span>
        created <Time at={run.metadata.createdAt} sentence />
      </span>
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-1.5">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="truncate text-base font-medium tabular-nums">{children}</dd>
    </div>
  );
}

type FactsProps = Pick<RunHeaderProps, 'run' | 'scope' | 'ready'>;

const dash = <span className="font-normal text-faint">–</span>;

function Facts({ run, scope, ready }: FactsProps) {
  const { data: metrics } = useMetrics(run, ready);
  const { data: explanation } = useExplanation(run, ready && !hasEnded(run));
  const { attempts, assignedWorker } = run.status;
  const tokens = metrics?.totals.tokens ?? tokensOf(run);
  const lease = run.status.claimedBy === undefined ? undefined : (leaseOf(explanation?.reasons ?? []) ?? run.status.leaseUntil);
  if (isTemplate(run)) return null;
  const tries = run.spec.retry.max_attempts;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 px-6 pb-2.5 max-sm:px-4">
      <Times run={run} />
      <Fact label="Attempts">
        {attempts ?? 0}
        {tries > 1 && <span className="font-normal text-muted"> of {tries}</span>}
      </Fact>
      <Fact label="Tokens">{tokens === undefined ? dash : formatNumber(tokens)}</Fact>
      <Fact label="Cost">{metrics ? <Cost {...metrics.totals} ended={hasEnded(run)} /> : dash}</Fact>
      <Fact label="Worker">
        {assignedWorker === undefined ? (
          dash
        ) : (
          <span className="flex min-w-0 items-baseline gap-2">
            <PeekLink
              object={{ kind: 'Worker', namespace: 'default', name: assignedWorker }}
              scope={scope}
              look="quiet"
              className="truncate"
            >
              {assignedWorker}
            </PeekLink>
            {lease !== undefined && <Lease until={lease} />}
          </span>
        )}
      </Fact>
    </dl>
  );
}

/** How long it worked, and apart from it how long people took. */
function Times({ run }: { readonly run: Run }) {
  const now = useNow(1_000);
  const active = durationOf(run, now);
  const waited = waitedOf(run, now);
  return (
    <>
      <Fact label={waited > 0 ? 'Active' : 'Duration'}>{active === undefined ? dash : formatDuration(active)}</Fact>
      {waited > 0 && <Fact label="Waited for people">{formatDuration(waited)}</Fact>}
    </>
  );
}

interface CostProps {
  readonly cost_usd: number | null;
  readonly unpriced_calls: number;
  readonly ended: boolean;
}

/** An open run without a cost has a dash, as in the list. */
function Cost({ cost_usd: cost, unpriced_calls: unpriced, ended }: CostProps) {
  if (unpriced > 0)
    return (
      <span className="font-normal text-warn" title="The price of these calls is unknown, so the total is too">
        {unpriced === 1 ? '1 call unpriced' : `${formatNumber(unpriced)} calls unpriced`}
      </span>
    );
  return cost === null || (cost === 0 && !ended) ? dash : formatCost(cost);
}

/** Renewed while it runs: only an expiring one is informative. */
function Lease({ until }: { readonly until: string }) {
  return (
    <span className="inline-flex items-baseline gap-1 text-sm font-normal text-muted">
      lease <Countdown until={until} label="The lease of the worker" className="text-sm font-normal text-muted" />
    </span>
  );
}
