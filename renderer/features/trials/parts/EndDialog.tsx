// Confirms the end of a run at its breakpoint.
import { useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import type { Run } from '../../runs/model/run.ts';
import type { Stop } from '../model/stops.ts';
import type { Continuing } from '../model/use-continue.ts';

export interface EndDialogProps {
  readonly run: Run;
  readonly stop: Stop;
  readonly continuing: Continuing;
  readonly onClose: () => void;
}

const REASON_MAX_CHARS = 1_000;

export function EndDialog({ run, stop, continuing, onClose }: EndDialogProps) {
  const [reason, setReason] = useState('');
  const { reason: writeBlock } = useCanWrite();
  const error = continuing.errorOf(stop);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => continuing.send({ stop, end: reason })}
      title={`End ${run.metadata.name}?`}
      consequence="The run ends as Cancelled. All that was recorded stays, and can be reused by other trials."
      confirmLabel="End the run"
      cancelLabel="Keep waiting"
      busy={continuing.busy(stop)}
      disabledReason={writeBlock}
    >
      <Field label="Reason" hint="Kept in the record of the run.">
        <Input value={reason} maxLength={REASON_MAX_CHARS} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {error !== undefined && <ErrorCard title="The run was not ended" error={error} />}
    </ConfirmDialog>
  );
}
