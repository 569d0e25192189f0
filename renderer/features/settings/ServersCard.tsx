// Servers that the window can show: the one of this machine, and profiles of others. Made, tested, shown and removed here.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DesktopApi, ListedProfile } from '@svc/shared/desktop-api';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { PROFILES_KEY } from '../../native/profile.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { ServerDialog } from './ServerDialog.tsx';
import { SettingRow } from './SettingRow.tsx';

const failed = (error: unknown) => toastError('The desktop app did not do this', error);

export function ServersCard({ desktop }: { readonly desktop: DesktopApi }) {
  const client = useQueryClient();
  const { data: profiles } = useQuery({ queryKey: PROFILES_KEY, queryFn: () => desktop.profiles.list() });
  const [edited, setEdited] = useState<ListedProfile | 'new'>();
  const [removed, setRemoved] = useState<ListedProfile>();
  const reread = () => client.invalidateQueries({ queryKey: PROFILES_KEY });
  const select = useMutation({ mutationFn: (id: string | null) => desktop.profiles.select(id), onError: failed });
  const remove = useMutation({
    mutationFn: (id: string) => desktop.profiles.remove(id),
    onSuccess: () => setRemoved(undefined),
    onError: failed,
    onSettled: reread,
  });
  if (!profiles) return null;
  const selected = profiles.find((profile) => profile.selected);
  return (
    <Card
      title="Servers"
      description="The window shows one of them at a time. Tokens are kept in the keychain of this system; pages never see them."
      actions={
        <Button icon={<Plus />} onClick={() => setEdited('new')}>
          Add a server
        </Button>
      }
      flush
    >
      <SettingRow title="This machine" text="The server of this app. Links, terminals and the runs in the tray are about this one.">
        {selected ? <Button onClick={() => select.mutate(null)}>Show</Button> : <Badge tone="ok">Shown</Badge>}
      </SettingRow>
      {profiles.map((profile) => (
        <ServerRow
          key={profile.id}
          profile={profile}
          onEdit={() => setEdited(profile)}
          onRemove={() => setRemoved(profile)}
          onShow={() => select.mutate(profile.id)}
        />
      ))}
      {edited && (
        <ServerDialog
          desktop={desktop}
          profile={edited === 'new' ? undefined : edited}
          taken={profiles.map(({ id }) => id)}
          onClose={() => setEdited(undefined)}
          onSaved={() => void reread()}
        />
      )}
      <ConfirmDialog
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        onConfirm={() => removed && remove.mutate(removed.id)}
        busy={remove.isPending}
        title={`Remove the server ${removed?.name ?? ''}?`}
        consequence="The app forgets its address and its token. Nothing is changed on the server."
        confirmLabel="Remove the server"
      />
    </Card>
  );
}

interface ServerRowProps {
  readonly profile: ListedProfile;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  readonly onShow: () => void;
}

function ServerRow({ profile, onEdit, onRemove, onShow }: ServerRowProps) {
  return (
    <SettingRow
      title={profile.name}
      text={
        <>
          <Mono>{profile.origin}</Mono>
          {!profile.hasToken && ' · without a token'}
          {profile.fingerprint !== undefined && ' · pinned certificate'}
        </>
      }
    >
      <span className="flex items-center gap-1.5">
        <IconButton label={`Edit ${profile.name}`} icon={<Pencil />} onClick={onEdit} />
        <IconButton label={`Remove ${profile.name}`} icon={<Trash2 />} onClick={onRemove} />
        {profile.selected ? (
          <Badge tone="ok">Shown</Badge>
        ) : (
          <Button aria-label={`Show ${profile.name}`} onClick={onShow}>
            Show
          </Button>
        )}
      </span>
    </SettingRow>
  );
}
