// Origin of a run, its retries, and other runs of its system.
import { taskOrigin } from '@svc/shared/run-origin';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { StatePill } from '../../../kinds/StatePill.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { pageAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import { api } from '../../../live/api.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { RunOriginText } from '../../approvals/parts/RunOriginText.tsx';
import { asRun, nameFrom, originsOf, outcomeOf, runKey, systemOf, TASK, type Run } from '../model/run.ts';
import { useRetries } from './use-retries.ts';

const SIBLINGS = 15;

export function RelatedTab({ run, scope }: { readonly run: Run; readonly scope: string }) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 p-6 max-sm:p-4 lg:grid-cols-2">
      <div className="flex flex-col gap-4">
        <Card title="Origin">
          <Origins run={run} scope={scope} />
        </Card>
        <Retries run={run} scope={scope} />
      </div>
      <Siblings run={run} scope={scope} />
    </div>
  );
}

interface RowProps {
  readonly object: ObjectRef;
  readonly scope: string;
  readonly name: string;
  readonly children: ReactNode;
}

function Row({ object, scope, name, children }: RowProps) {
  return (
    <li className="flex min-h-8 items-center gap-3 border-b border-border/60 last:border-0">
      <PeekLink object={object} scope={scope} look="quiet" className="min-w-0 flex-1 truncate font-medium">
        {name}
      </PeekLink>
      {children}
    </li>
  );
}

function Origins({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const origins = originsOf(run);
  const system = systemOf(run);
  return (
    <ul>
      {origins.map((origin) => (
        <Row key={origin.label} object={origin} scope={scope} name={nameFrom(run, origin)}>
          <span className="text-sm text-muted">
            {origin.label}
            {origin.at !== undefined && ` at ${origin.at}`}
          </span>
        </Row>
      ))}
      <Row object={system} scope={scope} name={run.spec.system}>
        <span className="text-sm text-muted">System</span>
      </Row>
      <li className="pt-2">
        <RunOriginText origin={taskOrigin(run.metadata, run.spec)} scope={scope} />
      </li>
    </ul>
  );
}

function Retries({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const { data, error, isPending, refetch } = useRetries(run);
  const retries = data ?? [];
  if (error && !data) return <ErrorCard error={error} title="The retries could not be loaded" onRetry={() => void refetch()} />;
  return (
    <Card title="Retries">
      {isPending && <Skeleton />}
      {!isPending && retries.length === 0 && <p className="text-muted">No retries.</p>}
      <ul>
        {retries.map((hit) => (
          <Row key={runKey({ metadata: hit })} object={hit} scope={scope} name={nameFrom(run, hit)}>
            <StatePill kind={TASK} status={hit} look="quiet" />
          </Row>
        ))}
      </ul>
    </Card>
  );
}

function Siblings({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const { namespace } = run.metadata;
  const { data, error, isPending, refetch } = useQuery(
    api.resources.list.queryOptions({
      kind: TASK,
      namespace,
      fieldSelector: `spec.system=${run.spec.system},spec.mode=run`,
      order: '-createdAt',
      limit: SIBLINGS,
    }),
  );
  const others = data?.items.map(asRun).filter((each) => runKey(each) !== runKey(run)) ?? [];
  if (error && !data) return <ErrorCard error={error} title="Other runs could not be loaded" onRetry={() => void refetch()} />;
  return (
    <Card
      title={`Newest runs of ${run.spec.system}`}
      actions={<Link href={pageAddress(namespace, 'tasks', { system: run.spec.system })}>All</Link>}
    >
      {isPending && <Skeleton />}
      {!isPending && others.length === 0 && <p className="text-muted">No other runs.</p>}
      <ul>
        {others.map((each) => (
          <Row key={runKey(each)} object={{ kind: TASK, ...each.metadata }} scope={scope} name={each.metadata.name}>
            <PhasePill phase={outcomeOf(each)} look="quiet" />
            <span className="min-w-10 shrink-0 text-right text-sm text-muted">
              <Time at={each.metadata.createdAt} />
            </span>
          </Row>
        ))}
      </ul>
    </Card>
  );
}
