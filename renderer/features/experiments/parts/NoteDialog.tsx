// The note of one result.
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { RATING_NOTE_MAX } from '@svc/shared/kinds/experiment/limits';
import { useState } from 'react';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { Form } from '../../../ui/input/Form.tsx';

export interface NoteDialogProps {
  readonly result: ExperimentResult;
  readonly onClose: () => void;
  /** With null where the note is empty. */
  readonly onSave: (note: string | null) => void;
}

export function NoteDialog({ result, onClose, onSave }: NoteDialogProps) {
  const [text, setText] = useState(result.rating?.note ?? '');
  const save = () => onSave(text.trim() === '' ? null : text);
  return (
    <Dialog open onClose={onClose} title={`Note on ${result.case}, ${result.variant}`}>
      <Form onSubmit={save} className="flex flex-col gap-4">
        <Field label="Note" hint="Everybody who reads the results sees it. Ctrl-Enter saves.">
          <Textarea value={text} rows={4} maxLength={RATING_NOTE_MAX} data-autofocus onChange={(event) => setText(event.target.value)} />
        </Field>
        <FormButtons submit="Save" cancel="Discard" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
