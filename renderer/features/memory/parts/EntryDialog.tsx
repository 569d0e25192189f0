// Writes an entry: a new one, or another value of an existing one. A value that somebody else has written meanwhile is replaced only after a question.
import { MEMORY_VALUE_MAX_BYTES, memoryKeyProblem, memoryValueProblem } from '@svc/shared/memory-limits';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { formatBytes } from '../../../ui/status/format.ts';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { bytesOf, jsonOf } from '../model/entry-text.ts';
import { readEntry, useEntryWrites, type Entry, type MemoryRef } from '../model/use-entries.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface EntryDialogProps {
  readonly memory: MemoryRef;
  /** The entry to change; absent: a new one. */
  readonly entry?: Entry;
  /** Beginning of the key of a new one. */
  readonly startKey?: string;
  readonly onClose: () => void;
  readonly onWritten: (key: string) => void;
}

/** Stored value other than the expected one; undefined: the entry was deleted. */
interface Conflict {
  readonly key: string;
  readonly value: string | undefined;
}

export function EntryDialog({ memory, entry, startKey = '', onClose, onWritten }: EntryDialogProps) {
  const { reason } = useCanWrite();
  const { write } = useEntryWrites(memory);
  const [key, setKey] = useState(entry?.key ?? startKey);
  const [value, setValue] = useState(entry?.value ?? '');
  const [tried, setTried] = useState(false);
  const [conflict, setConflict] = useState<Conflict>();
  const problems = { key: sentence('The key', memoryKeyProblem(key)), value: sentence('The value', memoryValueProblem(value)) };
  const known = conflict?.key === key ? conflict : undefined;
  const save = useMutation({
    mutationFn: async () => {
      const expected = known ? known.value : entry?.value;
      const stored = (await readEntry(memory, key))?.value;
      if (stored !== expected) return setConflict({ key, value: stored });
      const { created } = await write({ key, value });
      toastDone(created ? 'The entry is written' : 'The entry is changed');
      onWritten(key);
    },
  });
  const submit = () => {
    setTried(true);
    if ((problems.key ?? problems.value ?? reason) === undefined && !save.isPending) save.mutate();
  };
  return (
    <Dialog open onClose={onClose} closable={!save.isPending} size="lg" title={entry ? 'Edit entry' : 'New entry'}>
      <Form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Key"
          required
          error={tried ? problems.key : undefined}
          {...(!entry && { hint: 'Keys that share a beginning up to / or : are shown as a folder.' })}
        >
          <Input mono value={key} readOnly={entry !== undefined} onChange={(event) => setKey(event.target.value)} />
        </Field>
        <Field label="Value" error={tried ? problems.value : undefined} aside={<Size value={value} onFormat={setValue} />}>
          <Textarea
            className="min-h-48"
            mono
            rows={10}
            value={value}
            onChange={(event) => setValue(event.target.value)}
            {...(entry && { 'data-autofocus': true })}
          />
        </Field>
        {known && <ConflictNotice conflict={known} isNew={!entry} />}
        {save.error && <ErrorCard title="The entry was not written" error={save.error} />}
        <FormButtons
          submit={known ? (known.value === undefined ? 'Write it again' : 'Replace') : 'Save'}
          onCancel={onClose}
          variant={known ? 'danger' : 'primary'}
          busy={save.isPending}
          disabledReason={reason}
        />
      </Form>
    </Dialog>
  );
}

const sentence = (subject: string, problem: string | undefined) => problem && `${subject} ${problem}.`;

function Size({ value, onFormat }: { readonly value: string; readonly onFormat: (value: string) => void }) {
  const json = jsonOf(value);
  const pretty = json && JSON.stringify(json.value, null, 2);
  return (
    <span className="flex items-baseline gap-2">
      {pretty !== undefined && pretty !== value && (
        <Button variant="link" size="sm" onClick={() => onFormat(pretty)}>
          Format JSON
        </Button>
      )}
      {json && 'JSON, '}
      {formatBytes(bytesOf(value))} of {formatBytes(MEMORY_VALUE_MAX_BYTES)}
    </span>
  );
}

function ConflictNotice({ conflict: { value }, isNew }: { readonly conflict: Conflict; readonly isNew: boolean }) {
  if (value === undefined) {
    return (
      <p role="alert" className="rounded-md bg-warn-soft p-3 text-text">
        It was deleted while this window was open. Saving makes it again.
      </p>
    );
  }
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-warn-soft p-3 text-text">
      <p>{isNew ? 'An entry of this key exists.' : 'It was changed while this window was open.'} Saving replaces this value:</p>
      <CodeBlock label="Stored value" text={value} wrap className="[&_pre]:max-h-40" />
    </div>
  );
}
