// References of an object and its referrers.
import type { ResourceKey } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../../live/api.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Referrers } from '../object/Referrers.tsx';
import { RelatedBody } from '../object/RelatedBody.tsx';
import { RelatedGroups, type Related } from '../object/RelatedGroups.tsx';
import type { ObjectTabProps } from './OverviewTab.tsx';
import { countsByKind } from '../object-text.ts';

export function RelationsTab({ object }: ObjectTabProps) {
  return (
    <div className="flex flex-col gap-4 p-6 max-sm:p-4">
      <Referrers object={object} />
      <References object={object} />
    </div>
  );
}

function References({ object: { kind, namespace, name } }: ObjectTabProps) {
  const { data, isPending, error, refetch } = useQuery(api.resources.relations.queryOptions({ kind, namespace, name }));
  const items = useMemo(() => byTarget(data?.outgoing ?? []), [data]);
  const missing = items.filter(({ exists }) => !exists);
  return (
    <Card
      title="References"
      description={missing.length > 0 && `${countsByKind(missing)} ${missing.length === 1 ? 'does' : 'do'} not exist.`}
      flush
    >
      <RelatedBody pending={isPending} error={error} onRetry={() => void refetch()}>
        {items.length === 0 ? (
          <EmptyState cause="none" icon={<ArrowUpRight />} title="No references" className="py-8" />
        ) : (
          <RelatedGroups items={items} home={namespace} />
        )}
      </RelatedBody>
    </Card>
  );
}

/** References to the same object at several places are merged. */
function byTarget(outgoing: readonly (ResourceKey & { readonly path: string; readonly exists: boolean })[]): Related[] {
  const found = new Map<string, Related>();
  for (const { path, ...target } of outgoing) {
    const id = `${target.kind} ${target.namespace}/${target.name}`;
    found.set(id, { ...target, paths: [...(found.get(id)?.paths ?? []), path] });
  }
  return [...found.values()];
}
