// Users of the server: list, create, role, password, sign-ins, delete. For admins.
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { KeyRound, Monitor, Plus, Trash2, UserRound } from 'lucide-react';
import { useState } from 'react';
import { api, client } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { resetPassword } from '../../sign-in/sign-in.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { useHello } from '../../sign-in/use-hello.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Select } from '../../ui/input/Select.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { toastDone, toastError } from '../../ui/overlay/toast.ts';
import { CreateUserDialog } from './CreateUserDialog.tsx';
import { ShownPassword } from './ShownPassword.tsx';
import { SignInList } from './SignInList.tsx';
import { USER_ROLES } from './user-roles.ts';
import { RowList } from '../../ui/table/RowList.tsx';

type Action = 'reset' | 'remove' | 'sign-ins';

const useUsers = () =>
  useInfiniteQuery({
    queryKey: api.users.list.queryKey(),
    queryFn: ({ pageParam, signal }) => client.users.list.query(pageParam === undefined ? {} : { after: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    retry: false,
  });

export function UsersPage() {
  usePageTitle('Users');
  const own = useHello()?.identity.name;
  const { reason } = useCanWrite('admin');
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useUsers();
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly username: string }>();
  const close = () => setChosen(undefined);
  const changed = () => void refetch();
  const setRole = useMutation({
    mutationFn: (change: { username: string; role: string }) => client.users.setRole.mutate(change),
    onSuccess: ({ username, role }) => toastDone(`${username} is ${role} now`),
    onError: (problem) => toastError('The role was not changed', problem),
    onSettled: changed,
  });
  if (error && !data) return <NoUsers error={error} onRetry={changed} />;
  return (
    <>
      <PageHeader title="Users" meta="People who sign in with a name and a password. The server stores only a hash of each password." />
      <div className="flex max-w-3xl flex-col gap-4 px-6 pb-6 max-sm:px-4">
        <Card
          title="Users"
          actions={
            <Button variant="primary" icon={<Plus />} disabledReason={reason} onClick={() => setCreating(true)}>
              New user
            </Button>
          }
          flush
        >
          {isPending && <Skeleton className="m-4 w-1/2" />}
          <RowList label="Users" className="divide-y divide-border/60">
            {data?.pages
              .flatMap((page) => page.items)
              .map((user) => (
                <UserRow
                  key={user.username}
                  user={user}
                  own={user.username === own}
                  blocked={reason}
                  onRole={(role) => setRole.mutate({ username: user.username, role })}
                  onAction={(action) => setChosen({ action, username: user.username })}
                />
              ))}
          </RowList>
          {hasNextPage && (
            <div className="border-t border-border p-3">
              <Button size="sm" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show more
              </Button>
            </div>
          )}
        </Card>
      </div>
      {creating && <CreateUserDialog onClose={() => setCreating(false)} onCreated={changed} />}
      {chosen?.action === 'reset' && <ResetDialog username={chosen.username} onClose={close} />}
      {chosen?.action === 'remove' && (
        <RemoveDialog username={chosen.username} own={chosen.username === own} onClose={close} onRemoved={changed} />
      )}
      {chosen?.action === 'sign-ins' && (
        <Dialog open onClose={close} title={`Sign-ins of ${chosen.username}`}>
          <SignInList username={chosen.username} />
        </Dialog>
      )}
    </>
  );
}

interface UserRowProps {
  readonly user: { readonly username: string; readonly role: string; readonly created_at: string };
  readonly own: boolean;
  /** Reason why nothing can be changed now. */
  readonly blocked: string | undefined;
  readonly onRole: (role: string) => void;
  readonly onAction: (action: Action) => void;
}

function UserRow({ user: { username, role, created_at: createdAt }, own, blocked, onRole, onAction }: UserRowProps) {
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <UserRound aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {username} {own && <Badge tone="neutral">you</Badge>}
        </span>
        <span className="block truncate text-sm text-muted">
          created <Time at={createdAt} sentence />
        </span>
      </span>
      <Select
        aria-label={`Role of ${username}`}
        className="w-28"
        value={role}
        disabled={blocked !== undefined}
        title={blocked}
        options={USER_ROLES.map(({ value, label }) => ({ value, label }))}
        onChange={onRole}
      />
      <IconButton size="sm" label={`Sign-ins of ${username}`} icon={<Monitor />} onClick={() => onAction('sign-ins')} />
      <IconButton
        size="sm"
        label={`Reset the password of ${username}`}
        icon={<KeyRound />}
        disabledReason={blocked}
        onClick={() => onAction('reset')}
      />
      <IconButton size="sm" label={`Delete ${username}`} icon={<Trash2 />} disabledReason={blocked} onClick={() => onAction('remove')} />
    </li>
  );
}

function NoUsers({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { code, message } = problemOf(error);
  const titles: Readonly<Record<string, string>> = { forbidden: 'Only admins can see users', conflict: 'No users on this server' };
  const title = titles[code];
  return (
    <>
      <PageHeader title="Users" />
      {title === undefined ? (
        <ErrorCard error={error} title="The users could not be loaded" onRetry={onRetry} className="mx-6 max-w-3xl" />
      ) : (
        <EmptyState cause={code === 'forbidden' ? 'forbidden' : 'none'} title={title}>
          {code === 'forbidden' ? (
            message
          ) : (
            <>
              To have users who sign in with a name and a password, start the server with{' '}
              <Mono className="whitespace-nowrap">--auth-mode native</Mono>.
            </>
          )}
        </EmptyState>
      )}
    </>
  );
}

interface UserDialogProps {
  readonly username: string;
  readonly onClose: () => void;
}

function ResetDialog({ username, onClose }: UserDialogProps) {
  const { reason } = useCanWrite('admin');
  const reset = useMutation({ mutationFn: () => resetPassword(username), gcTime: 0 });
  if (reset.data !== undefined) {
    return (
      <Dialog open closable={false} onClose={onClose} title={`New password of ${username}`} description="It is shown only once.">
        <ShownPassword password={reset.data} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => reset.mutate()}
      busy={reset.isPending}
      title={`Reset the password of ${username}?`}
      consequence="The old password stops working, and the sign-ins of this user end. You get a new password to hand over."
      confirmLabel="Reset the password"
      disabledReason={reason}
    >
      {reset.error && <ErrorCard error={reset.error} title="The password was not reset" />}
    </ConfirmDialog>
  );
}

function RemoveDialog({ username, own, onClose, onRemoved }: UserDialogProps & { readonly own: boolean; readonly onRemoved: () => void }) {
  const { reason } = useCanWrite('admin');
  const remove = useMutation({
    mutationFn: () => client.users.remove.mutate({ username }),
    onSuccess: () => {
      toastDone(`${username} was deleted`);
      onRemoved();
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      title={`Delete the user ${username}?`}
      consequence={`Their sign-ins end at once.${own ? ' You are signed in as this user.' : ''} It cannot be restored.`}
      confirmLabel="Delete the user"
      disabledReason={reason}
    >
      {remove.error && <ErrorCard error={remove.error} title="The user was not deleted" />}
    </ConfirmDialog>
  );
}
