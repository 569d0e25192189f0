// The keys of a Secret, or the entries of a SealedSecret. Values are write-only: a typed value is sent, or sealed and sent, and discarded.
import type { Resource } from '@svc/shared/resource';
import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound, Plus, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { isWriteOnly } from '../../../kinds/kind-table.ts';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { ValueStorage } from '../../sealing/parts/ValueStorage.tsx';
import { removeSecretKey } from '../writes.ts';
import { SecretValueDialog } from './SecretValueDialog.tsx';

export interface SecretKeysProps {
  readonly resource: Resource;
  readonly gone: boolean;
}

/** The open question about a key, for the Secret that was shown: a later Secret of the same name is excluded. */
interface OpenDialog {
  readonly doing: 'set' | 'remove';
  readonly key: string;
  readonly secret: Resource;
}

/** The keys; sealed entries with their key id. */
function keysOf(resource: Resource): { readonly key: string; readonly keyId?: string }[] {
  if (isWriteOnly(resource.kind)) return Object.keys(specOf('Secret', resource).data).map((key) => ({ key }));
  return Object.entries(specOf('SealedSecret', resource).encryptedData ?? {}).map(([key, { keyId = '' }]) => ({ key, keyId }));
}

export function SecretKeys({ resource, gone }: SecretKeysProps) {
  const { reason } = useCanWrite();
  const [dialog, setDialog] = useState<OpenDialog>();
  const openDialog = (doing: OpenDialog['doing'], key: string) => setDialog({ doing, key, secret: resource });
  const close = () => setDialog(undefined);
  const sealed = !isWriteOnly(resource.kind);
  const keys = keysOf(resource);
  const blocked = { disabledReason: gone ? 'It was deleted.' : reason };
  const add = (
    <Button variant="primary" icon={<Plus />} {...blocked} onClick={() => openDialog('set', '')}>
      {sealed ? 'Seal a value' : 'Set a value'}
    </Button>
  );
  return (
    <Card
      flush
      title={sealed ? 'Sealed entries' : 'Keys'}
      description={
        sealed ? (
          'Each entry is encrypted with the public sealing key. Only the server can decrypt it.'
        ) : (
          <>
            Write-only: a value can be set and replaced, and nobody can read it back, not even you. <ValueStorage />
          </>
        )
      }
      actions={keys.length > 0 && add}
    >
      {keys.length === 0 ? (
        <EmptyState cause="none" icon={<KeyRound />} title={sealed ? 'No entries yet' : 'No keys yet'} action={add}>
          Most references use the key “value”.
        </EmptyState>
      ) : (
        <ul>
          {keys.map(({ key, keyId }) => (
            <KeyRow
              key={key}
              name={key}
              keyId={keyId}
              blocked={blocked}
              onSet={(name) => openDialog('set', name)}
              onRemove={(name) => openDialog('remove', name)}
            />
          ))}
        </ul>
      )}
      {dialog?.doing === 'set' && (
        <SecretValueDialog secret={dialog.secret} secretKey={dialog.key} keys={keys.map(({ key }) => key)} onClose={close} />
      )}
      {dialog?.doing === 'remove' && <RemoveKey resource={dialog.secret} secretKey={dialog.key} onClose={close} />}
    </Card>
  );
}

interface KeyRowProps {
  readonly name: string;
  /** Key id with which a sealed entry is sealed. */
  readonly keyId: string | undefined;
  readonly blocked: { readonly disabledReason: string | undefined };
  readonly onSet: (key: string) => void;
  readonly onRemove: (key: string) => void;
}

function KeyRow({ name, keyId, blocked, onSet, onRemove }: KeyRowProps) {
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-3 border-b border-border/60 px-4 py-1.5 last:border-0">
      <code className="min-w-0 flex-1 font-mono [overflow-wrap:anywhere]">{name}</code>
      <Badge tone="ok">{keyId === undefined ? 'set' : 'sealed'}</Badge>
      {keyId !== undefined && <SealedWith keyId={keyId} />}
      <Button size="sm" icon={<RotateCw />} aria-label={`Replace the value of ${name}`} {...blocked} onClick={() => onSet(name)}>
        Replace
      </Button>
      <Button size="sm" variant="danger-quiet" icon={<Trash2 />} aria-label={`Remove ${name}`} {...blocked} onClick={() => onRemove(name)}>
        Remove
      </Button>
    </li>
  );
}

/** Entries of an older key do not open, and have to be sealed again. */
function SealedWith({ keyId }: { readonly keyId: string }) {
  const { data: current } = useQuery(api.server.sealingKey.queryOptions());
  if (current !== undefined && current.keyId !== keyId) return <Badge tone="warn">with another key: {keyId}</Badge>;
  return <span className="font-mono text-sm text-muted">with {keyId}</span>;
}

interface RemoveKeyProps {
  readonly resource: Resource;
  readonly secretKey: string;
  readonly onClose: () => void;
}

function RemoveKey({ resource, secretKey, onClose }: RemoveKeyProps) {
  const { name } = resource.metadata;
  const remove = useMutation({
    mutationFn: () => removeSecretKey(resource, secretKey),
    onSuccess: () => {
      toastDone(`${secretKey} was removed from ${name}`);
      onClose();
    },
    onError: (error) => toastError(`${secretKey} could not be removed`, error),
  });
  return (
    <ConfirmDialog
      open
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      title={`Remove ${secretKey}?`}
      consequence="The value cannot be restored. Objects that refer to this key fail at its next use."
      confirmLabel="Remove the key"
    />
  );
}
