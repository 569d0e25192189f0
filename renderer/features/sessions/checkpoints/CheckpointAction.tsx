// Dialogs of a checkpoint: rewind, fork, replay, comparison. Loaded when one is opened.
import type { Checkpoint } from '@svc/shared/api/sessions';
import type { Conversation } from '@svc/shared/sessions/conversation';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { checkpointName, rewindText } from '../model/checkpoints.ts';
import { refOf, type Session } from '../model/session.ts';
import { CompareDialog } from './CompareDialog.tsx';
import { ForkDialog } from './ForkDialog.tsx';
import { ReplayDialog } from './ReplayDialog.tsx';

export interface CheckpointActionProps {
  readonly act: 'rewind' | 'fork' | 'replay' | 'compare';
  readonly session: Session;
  readonly checkpoint: Checkpoint;
  readonly against?: { readonly id: string; readonly session?: string };
  readonly conversation: Conversation;
  readonly onClose: () => void;
}

export function CheckpointAction({ act, session, checkpoint, against, conversation, onClose }: CheckpointActionProps) {
  const title = checkpointName(checkpoint, conversation.turn(checkpoint.turn_id));
  if (act === 'rewind')
    return <RewindDialog session={session} checkpoint={checkpoint} title={title} conversation={conversation} onClose={onClose} />;
  if (act === 'fork') return <ForkDialog session={session} checkpoint={checkpoint} title={title} onClose={onClose} />;
  if (act === 'replay') return <ReplayDialog session={session} checkpoint={checkpoint} title={title} onClose={onClose} />;
  return against ? <CompareDialog session={session} checkpoint={checkpoint} against={against} onClose={onClose} /> : null;
}

interface RewindProps extends Pick<CheckpointActionProps, 'session' | 'checkpoint' | 'conversation' | 'onClose'> {
  readonly title: string;
}

function RewindDialog({ session, checkpoint, title, conversation, onClose }: RewindProps) {
  const inside = checkpoint.safe_point !== 'turn.completed';
  const [resume, setResume] = useState(inside);
  const { reason } = useCanWrite();
  const rewind = useMutation({
    mutationFn: () => client.checkpoints.rewind.mutate({ ...refOf(session), id: checkpoint.id, interrupt: resume, resume }),
    onSuccess: () => {
      toastDone(resume ? 'The Session continues from the checkpoint' : 'The Session is paused at the checkpoint');
      onClose();
    },
    onError: (error) => toastError('The Session could not be rewound', error),
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => rewind.mutate()}
      title={`Rewind ${session.metadata.name} to ${title}?`}
      consequence={rewindText(checkpoint, conversation)}
      confirmLabel="Rewind"
      disabledReason={reason}
      busy={rewind.isPending}
    >
      <Checkbox checked={resume} onChange={setResume} label="Continue at once; otherwise the Session is paused" />
    </ConfirmDialog>
  );
}
