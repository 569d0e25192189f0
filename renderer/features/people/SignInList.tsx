// Browser sign-ins of one name, each with a button that ends it.
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Monitor } from 'lucide-react';
import { api, client } from '../../live/api.ts';
import { queryClient } from '../../live/query-client.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { toastDone } from '../../ui/overlay/toast.ts';
import { browserOf } from './browser-of.ts';

export function SignInList({ username }: { readonly username: string }) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...api.signIns.list.queryKey(), { username }],
    queryFn: ({ pageParam, signal }) =>
      client.signIns.list.query({ username, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    retry: false,
  });
  const { reason } = useCanWrite('reader');
  const end = useMutation({
    mutationFn: (id: string) => client.signIns.end.mutate({ id }),
    onSuccess: () => {
      toastDone('The sign-in was ended');
      void queryClient.invalidateQueries({ queryKey: api.signIns.list.queryKey() });
    },
  });
  if (error) return <ErrorCard error={error} title="The sign-ins could not be loaded" />;
  if (isPending) return <Skeleton className="m-4 w-1/2" />;
  const items = data.pages.flatMap((page) => page.items);
  return (
    <>
      {end.error && <ErrorCard error={end.error} title="The sign-in was not ended" />}
      {items.length === 0 && <p className="px-4 py-3 text-muted">No browser is signed in.</p>}
      <ul className="divide-y divide-border/60">
        {items.map(({ id, method, created_at: createdAt, client_address: address, user_agent: agent, current }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-2">
            <Monitor aria-hidden className="size-4 shrink-0 text-faint" />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">
                {browserOf(agent)} {current && <Badge tone="ok">This browser</Badge>}
              </span>
              <span className="block truncate text-sm text-muted">
                {address} · by {method}
                {createdAt !== '' && (
                  <>
                    , <Time at={createdAt} sentence />
                  </>
                )}
              </span>
            </span>
            {!current && (
              <Button
                size="sm"
                busy={end.isPending && end.variables === id}
                disabledReason={reason}
                onClick={() => end.mutate(id)}
                aria-label={`End ${browserOf(agent)} at ${address}`}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div className="border-t border-border p-3">
          <Button size="sm" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
