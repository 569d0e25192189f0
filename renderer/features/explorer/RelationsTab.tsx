// What an object needs and what needs it.
import type { ResourceKey } from '@svc/shared/resource';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { ObjectRef } from '../../app/addresses.ts';
import { kindsTitle } from '../../app/kind-titles.ts';
import { kindNamed } from '../../kinds/kind-table.ts';
import { api, client } from '../../live/api.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { RefLink } from './object/RefLink.tsx';
import type { ObjectTabProps } from './OverviewTab.tsx';
import { countsByKind, listed } from './words.ts';

const PAGE_SIZE = 100;

interface Related extends ResourceKey {
  readonly paths: readonly string[];
  readonly exists: boolean;
}

export function RelationsTab({ object }: ObjectTabProps) {
  return (
    <div className="flex flex-col gap-4 p-6 max-sm:p-4">
      <Referrers object={object} />
      <References object={object} />
    </div>
  );
}

/** Who refers to it: read anew as others change, by the same name as what the live stream invalidates. */
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

function Referrers({ object }: ObjectTabProps) {
  const { items, incomplete, isPending, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useReferrers(object);
  const one = items.length === 1;
  return (
    <Card
      title="Referred to by"
      description={
        items.length > 0 &&
        `Without ${object.name}, ${hasNextPage ? 'at least ' : ''}${countsByKind(items)} ${one ? 'loses' : 'lose'} something ${one ? 'it needs' : 'they need'}.`
      }
      flush
    >
      {incomplete && <Banner tone="info">Objects from before an upgrade are still being looked through; some may be missing here.</Banner>}
      <Body pending={isPending} error={error} onRetry={() => void refetch()}>
        {items.length === 0 ? (
          <EmptyState cause="none" icon={<ArrowDownLeft />} title="Nothing refers to it" className="py-8">
            It can go without anything else noticing.
          </EmptyState>
        ) : (
          <Groups items={items} home={object.namespace} />
        )}
        {hasNextPage && (
          <div className="border-t border-border p-3">
            <Button size="sm" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </Body>
    </Card>
  );
}

function References({ object: { kind, namespace, name } }: ObjectTabProps) {
  const { data, isPending, error, refetch } = useQuery(api.resources.relations.queryOptions({ kind, namespace, name }));
  const items = useMemo(() => byTarget(data?.outgoing ?? []), [data]);
  const missing = items.filter(({ exists }) => !exists);
  return (
    <Card
      title="Refers to"
      description={missing.length > 0 && `${countsByKind(missing)} ${missing.length === 1 ? 'does' : 'do'} not exist.`}
      flush
    >
      <Body pending={isPending} error={error} onRetry={() => void refetch()}>
        {items.length === 0 ? (
          <EmptyState cause="none" icon={<ArrowUpRight />} title="It refers to nothing" className="py-8" />
        ) : (
          <Groups items={items} home={namespace} />
        )}
      </Body>
    </Card>
  );
}

/** References to the same object at several places are one. */
function byTarget(outgoing: readonly (ResourceKey & { readonly path: string; readonly exists: boolean })[]): Related[] {
  const found = new Map<string, Related>();
  for (const { path, ...target } of outgoing) {
    const id = `${target.kind} ${target.namespace}/${target.name}`;
    found.set(id, { ...target, paths: [...(found.get(id)?.paths ?? []), path] });
  }
  return [...found.values()];
}

interface BodyProps {
  readonly pending: boolean;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

function Body({ pending, error, onRetry, children }: BodyProps) {
  if (error != null) return <ErrorCard error={error} title="The relations could not be loaded" onRetry={onRetry} className="m-4" />;
  if (!pending) return children;
  return (
    <div className="flex flex-col gap-3 p-4" aria-busy>
      <Skeleton className="w-1/3" />
      <Skeleton className="w-1/2" />
    </div>
  );
}

function Groups({ items, home }: { readonly items: readonly Related[]; readonly home: string }) {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const known = kindNamed(kind);
    const group = items.filter((item) => item.kind === kind);
    return (
      <section key={kind} aria-label={known ? kindsTitle(known) : kind} className="border-b border-border/60 px-4 py-3 last:border-0">
        <h3 className="mb-1.5 text-sm font-medium text-muted">
          {known ? kindsTitle(known) : kind} <span className="tabular-nums">{group.length}</span>
        </h3>
        <ul className="flex flex-col gap-1.5">
          {group.map((item) => (
            <li key={`${item.namespace}/${item.name}`} className="flex flex-wrap items-baseline gap-x-3">
              <RefLink object={item} exists={item.exists} home={home} />
              <span className="font-mono text-xs text-muted" title={item.paths.join('\n')}>
                {listed(item.paths.slice(0, 3))}
                {item.paths.length > 3 && ` +${item.paths.length - 3}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
