// API tokens of the server: list, create, delete. For admins.
import { useQuery } from '@tanstack/react-query';
import { usePageTitle } from '../../navigation/page-title.ts';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { useHello } from '../../sign-in/use-hello.ts';
import { api } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { CreateTokenDialog } from './CreateTokenDialog.tsx';
import { DeleteTokenDialog } from './DeleteTokenDialog.tsx';
import { RowList } from '../../ui/table/RowList.tsx';

export function TokensPage() {
  usePageTitle('API tokens');
  return (
    <>
      <PageHeader
        title="API tokens"
        meta="For the console, svcctl and programs. The server stores only a hash of each. Tokens from the server's environment are not listed."
      />
      <Tokens />
    </>
  );
}

function Tokens() {
  const hello = useHello();
  const { reason } = useCanWrite('admin');
  const { data, error, isPending, refetch } = useQuery(api.tokens.list.queryOptions(undefined, { retry: false }));
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<string>();
  const authOff = hello?.authEnabled === false;
  if (error && !data) return <NoTokens error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex max-w-3xl flex-col gap-4 px-6 pb-6 max-sm:px-4">
      {authOff && (
        <Banner tone="warn" className="rounded-md">
          Sign-in is off: everybody who reaches this server is an admin. The first token turns sign-in on, for this page too.
        </Banner>
      )}
      <Card
        title="Tokens"
        actions={
          <Button variant="primary" icon={<Plus />} disabledReason={reason} onClick={() => setCreating(true)}>
            New token
          </Button>
        }
        flush
      >
        {isPending && <Skeleton className="m-4 w-1/2" />}
        {data?.length === 0 && (
          <EmptyState cause="none" icon={<KeyRound />} title="No tokens yet" className="py-10">
            {authOff ? 'Sign-in is off.' : 'Tokens in use come from the server’s environment.'}
          </EmptyState>
        )}
        <RowList label="Tokens" className="divide-y divide-border/60">
          {data?.map(({ name, role, created_at: createdAt, a2a_agent_systems: systems }) => (
            <li key={name} className="flex items-center gap-3 px-4 py-2">
              <KeyRound aria-hidden className="size-4 shrink-0 text-faint" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{name}</span>
                <span className="block truncate text-sm text-muted">
                  created <Time at={createdAt} sentence />
                  {systems && ` · ${systems.join(', ')}`}
                </span>
              </span>
              <Badge tone={role === 'admin' ? 'warn' : 'neutral'}>{role}</Badge>
              <IconButton
                size="sm"
                label={`Delete the token ${name}`}
                icon={<Trash2 />}
                disabledReason={reason}
                onClick={() => setDeleting(name)}
              />
            </li>
          ))}
        </RowList>
      </Card>
      {creating && <CreateTokenDialog turnsAuthOn={authOff} onClose={() => setCreating(false)} onCreated={() => void refetch()} />}
      <DeleteTokenDialog
        name={deleting}
        own={deleting !== undefined && deleting === hello?.identity.name}
        onClose={() => setDeleting(undefined)}
        onDeleted={() => void refetch()}
      />
    </div>
  );
}

function NoTokens({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { code, message } = problemOf(error);
  return code === 'forbidden' ? (
    <EmptyState cause="forbidden" title="Only admins can see tokens">
      {message}
    </EmptyState>
  ) : (
    <ErrorCard error={error} title="The tokens could not be loaded" onRetry={onRetry} className="mx-6 max-w-3xl" />
  );
}
