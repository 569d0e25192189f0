// Referrers of an object, by kind and page by page, and the consequence of its deletion.
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowDownLeft } from 'lucide-react';
import { useMemo } from 'react';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { client } from '../../../live/api.ts';
import { loadNext } from '../../../live/list-pages.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { IncompleteBanner } from '../../../ui/table/IncompleteBanner.tsx';
import { countsByKind } from '../object-text.ts';
import { RelatedGroups, type Related } from './RelatedGroups.tsx';
import { RelatedBody } from './RelatedBody.tsx';

const PAGE_SIZE = 100;

/** Referrers, refetched as objects change: the query key is the one that the live stream invalidates. */
function useReferrers({ kind, namespace, name }: ObjectRef) {
  const input = { kind, namespace, name, limit: PAGE_SIZE };
  const query = useInfiniteQuery({
    queryKey: [['resources', 'referrers'], { input, type: 'infinite' }],
    queryFn: ({ pageParam, signal }) =>
      client.resources.referrers.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.continue,
  });
  const pages = query.data?.pages;
  const items = useMemo(() => (pages ?? []).flatMap((page) => page.items.map((item): Related => ({ ...item, exists: true }))), [pages]);
  return { ...query, items, incomplete: pages?.some(({ incomplete }) => incomplete) === true };
}

export function Referrers({ object }: { readonly object: ObjectRef }) {
  const referrers = useReferrers(object);
  const { items, incomplete, isPending, error, refetch, hasNextPage, isFetchingNextPage } = referrers;
  return (
    <Card title="Used by" description={items.length > 0 && `Used by ${hasNextPage ? 'at least ' : ''}${countsByKind(items)}.`} flush>
      {incomplete && <IncompleteBanner onRetry={() => void refetch()} />}
      <RelatedBody pending={isPending} error={error} onRetry={() => void refetch()}>
        {items.length === 0 ? (
          <EmptyState cause="none" icon={<ArrowDownLeft />} title="Not used" className="py-8">
            No other object refers to it.
          </EmptyState>
        ) : (
          <RelatedGroups
            items={items}
            home={object.namespace}
            more={hasNextPage ? { busy: isFetchingNextPage, load: () => void loadNext(referrers) } : undefined}
          />
        )}
      </RelatedBody>
    </Card>
  );
}
