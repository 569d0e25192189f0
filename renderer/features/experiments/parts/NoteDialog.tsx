// The note of one result.
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { RATING_NOTE_MAX } from '@svc/shared/kinds/experiment/limits';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export interface NoteDialogProps {
  readonly result: ExperimentResult;
  readonly onClose: () => void;
  /** With null where the note is empty. */
  readonly onSave: (note: string | null) => Promise<void>;
}

export function NoteDialog({ result, onClose, onSave }: NoteDialogProps) {
  const now = result.rating?.note ?? '';
  const [before] = useState(now);
  const [text, setText] = useState(now);
  const save = useMutation({ mutationFn: () => onSave(text.trim() === '' ? null : text) });
  return (
    <Dialog open onClose={onClose} closable={!save.isPending} title={`Note on ${result.case}, ${result.variant}`}>
      <Form onSubmit={() => !save.isPending && save.mutate()} className="flex flex-col gap-4">
        <Field label="Note" hint="Everybody who reads the results sees it. Ctrl-Enter saves.">
          <Textarea value={text} rows={4} maxLength={RATING_NOTE_MAX} data-autofocus onChange={(event) => setText(event.target.value)} />
        </Field>
        {now !== before && (
          <p role="alert" className="rounded-md bg-warn-soft p-3">
            Somebody else wrote meanwhile: <UntrustedText text={now === '' ? 'no note' : now} />. Saving replaces it.
          </p>
        )}
        <FormButtons submit="Save" cancel="Discard" onCancel={onClose} busy={save.isPending} />
      </Form>
    </Dialog>
  );
}
