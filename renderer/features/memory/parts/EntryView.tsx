// One entry: its key, its value as text or as unfolding JSON, and what can be done with it.
import { useMutation } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { formatBytes } from '../../../ui/status/format.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { bytesOf, jsonOf, scoreText } from '../model/entry-text.ts';
import { useEntryWrites, type Entry, type MemoryRef } from '../model/use-entries.ts';
import { EntryDialog } from './EntryDialog.tsx';

export interface EntryViewProps {
  readonly memory: MemoryRef;
  readonly entry: Entry;
  /** Called when the entry was deleted. */
  readonly onGone: () => void;
}

type Look = 'json' | 'text';

export function EntryView({ memory, entry, onGone }: EntryViewProps) {
  const { key, value, score } = entry;
  const json = useMemo(() => jsonOf(value), [value]);
  const [look, setLook] = useState<Look>('json');
  const { reason } = useCanWrite();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const close = () => setAsked(undefined);
  return (
    <article aria-label={`Entry ${key}`} className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
      <header className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-40 flex-1">
          <div className="flex items-start gap-1">
            <h2 className="min-w-0">
              <UntrustedText text={key} mono className="text-base font-semibold text-text" />
            </h2>
            <CopyButton text={key} label="Copy the key" className="-my-0.5" />
          </div>
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            {formatBytes(bytesOf(value))}
            {score !== undefined && score !== 0 && <Badge tone="accent">score {scoreText(score)}</Badge>}
          </p>
        </div>
        {json && (
          <SegmentedControl
            label="Show the value as"
            value={look}
            onChange={setLook}
            segments={[
              { value: 'json', label: 'JSON' },
              { value: 'text', label: 'Text' },
            ]}
          />
        )}
        <div className="flex flex-wrap gap-2">
          <CopyButton words text={value} label="Copy value" className="h-control" />
          <Button icon={<Pencil />} disabledReason={reason} onClick={() => setAsked('edit')}>
            Edit entry
          </Button>
          <Button variant="danger-quiet" icon={<Trash2 />} disabledReason={reason} onClick={() => setAsked('delete')}>
            Delete entry
          </Button>
        </div>
      </header>
      {json && look === 'json' ? (
        <JsonTree label="Value as JSON" value={json.value} openDepth={3} className="max-h-none flex-1" />
      ) : (
        <CodeBlock label="Value" text={value} fileName="value.txt" wrap />
      )}
      {asked === 'edit' && <EntryDialog memory={memory} entry={entry} onClose={close} onWritten={close} />}
      {asked === 'delete' && <DeleteDialog memory={memory} entryKey={key} onClose={close} onGone={onGone} />}
    </article>
  );
}

interface DeleteDialogProps {
  readonly memory: MemoryRef;
  readonly entryKey: string;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

function DeleteDialog({ memory, entryKey, onClose, onGone }: DeleteDialogProps) {
  const { reason } = useCanWrite();
  const { remove } = useEntryWrites(memory);
  const confirm = useMutation({
    mutationFn: () => remove(entryKey),
    onSuccess: () => {
      toastDone('The entry is deleted');
      onGone();
    },
    onError: (error) => toastError('The entry was not deleted', error),
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => confirm.mutate()}
      busy={confirm.isPending}
      disabledReason={reason}
      title={
        <>
          Delete <UntrustedText text={entryKey} />?
        </>
      }
      consequence="Agents no longer find it. This cannot be undone."
      confirmLabel="Delete"
      danger
    />
  );
}
