// Confirms an irreversible action, and names the consequence.
import { useState, type ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field } from '../input/Field.tsx';
import { Input } from '../input/Input.tsx';
import { Form } from '../input/Form.tsx';

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly title: ReactNode;
  /** Consequence in full: "Cancel is final; 2 queued turns are dropped." */
  readonly consequence: ReactNode;
  /** The verb: "Delete 3 tasks", never "OK". */
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly danger?: boolean;
  /** A word that has to be typed first. */
  readonly typed?: string | undefined;
  readonly busy?: boolean;
  readonly disabledReason?: string | undefined;
  /** Further content to fill in or read, such as a reason. */
  readonly children?: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onClose, title, consequence, busy = false } = props;
  return (
    <Dialog open={open} onClose={onClose} title={title} description={consequence} closable={!busy}>
      {open && <ConfirmForm {...props} />}
    </Dialog>
  );
}

/** Mounted again at each opening, so that typed text is gone. */
function ConfirmForm(props: ConfirmDialogProps) {
  const { onClose, onConfirm, confirmLabel, cancelLabel = 'Keep', danger = true, typed, busy, disabledReason, children } = props;
  const [text, setText] = useState('');
  const matches = typed === undefined || text === typed;
  const submit = () => {
    if (matches && disabledReason === undefined && !busy) onConfirm();
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      {children}
      {typed !== undefined && (
        <Field
          label={
            <>
              Type <code className="rounded-xs bg-neutral-soft px-1 font-mono text-text">{typed}</code> to confirm
            </>
          }
        >
          <Input mono value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose} disabled={busy} {...(typed === undefined && children == null && { 'data-autofocus': true })}>
          {cancelLabel}
        </Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy} disabled={!matches} disabledReason={disabledReason}>
          {confirmLabel}
        </Button>
      </div>
    </Form>
  );
}
