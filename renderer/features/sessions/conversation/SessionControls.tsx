// Control of a Session: stop the turn, pause, resume, complete, cancel; and the files of conversations.
import type { ConversationTurn } from '@svc/shared/sessions/conversation';
import { useMutation } from '@tanstack/react-query';
import { Ban, CircleCheck, Download, EllipsisVertical, FileInput, FileJson, Link2, Pause, Play, Square } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../live/api.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { objectAddress } from '../../../navigation/addresses.ts';
import { serverAddress } from '../../../ui/link/base-path.ts';
import { copyText } from '../../../ui/button/copy-text.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { useFileView } from '../../../ui/file/file-view.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Menu } from '../../../ui/overlay/Menu.tsx';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { hasEnded, phaseOf, refOf, SESSION, type Session } from '../model/session.ts';
import type { ConversationExport } from '../model/use-export.ts';

export interface SessionControlsProps {
  readonly session: Session;
  readonly active: ConversationTurn | undefined;
  readonly exports: ConversationExport;
}

type Control = 'pause' | 'resume' | 'cancel' | 'complete';

function useControl(session: Session) {
  const act = useMutation({
    mutationFn: ({ call }: { readonly what: string; readonly call: () => Promise<unknown> }) => call(),
    onError: (error, { what }) => toastError(`The Session could not be changed: ${what}`, error),
  });
  const control = (what: Control) => act.mutate({ what, call: () => client.sessions.control.mutate({ ...refOf(session), control: what }) });
  const stop = (name: string) => {
    const { namespace } = session.metadata;
    act.mutate({ what: 'stop', call: () => client.runs.cancel.mutate({ namespace, name, reason: 'stopped in the conversation' }) });
  };
  return { busy: act.isPending ? act.variables.what : undefined, control, stop };
}

export function SessionControls({ session, active, exports }: SessionControlsProps) {
  const { reason } = useCanWrite();
  const { busy, control, stop } = useControl(session);
  const phase = phaseOf(session);
  const task = active?.activity === 'paused' ? undefined : active?.task;
  const stopTurn = () => task !== undefined && stop(task);
  useShortcut({
    id: 'session.stop',
    keys: 'mod+.',
    label: 'Stop the current turn',
    when: task !== undefined && reason === undefined,
    run: stopTurn,
  });
  const menu = <SessionMenu session={session} active={active} blocked={reason} onEnd={control} exports={exports} />;
  if (hasEnded(session)) return menu;
  const resumable = phase === 'Paused' || phase === 'Failed';
  return (
    <>
      {task !== undefined && (
        <Button icon={<Square />} busy={busy === 'stop'} disabledReason={reason} onClick={stopTurn}>
          Stop
        </Button>
      )}
      {resumable ? (
        <Button
          variant={phase === 'Paused' ? 'primary' : 'secondary'}
          icon={<Play />}
          busy={busy === 'resume'}
          disabledReason={reason}
          onClick={() => control('resume')}
        >
          Resume
        </Button>
      ) : (
        <Button icon={<Pause />} busy={busy === 'pause'} disabledReason={reason} onClick={() => control('pause')}>
          Pause
        </Button>
      )}
      {menu}
    </>
  );
}

interface SessionMenuProps extends SessionControlsProps {
  readonly blocked: string | undefined;
  readonly onEnd: (how: 'cancel' | 'complete') => void;
}

function SessionMenu({ session, active, blocked: reason, onEnd, exports }: SessionMenuProps) {
  const [asking, setAsking] = useState<'cancel' | 'complete'>();
  const files = useFileView();
  const ends: readonly MenuItem[] = [
    'separator',
    {
      id: 'complete',
      label: 'Complete the Session',
      icon: <CircleCheck />,
      disabledReason: reason,
      onSelect: () => setAsking('complete'),
    },
    {
      id: 'cancel',
      label: 'Cancel the Session',
      icon: <Ban />,
      danger: true,
      disabledReason: reason,
      onSelect: () => setAsking('cancel'),
    },
  ];
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton variant="secondary" label="More actions" icon={<EllipsisVertical />} busy={exports.busy} />}
        items={[
          { id: 'link', label: 'Copy the link', icon: <Link2 />, onSelect: () => void copyLink(session) },
          { id: 'markdown', label: 'Export as Markdown', icon: <Download />, onSelect: exports.asMarkdown },
          { id: 'json', label: 'Export as JSON', icon: <FileJson />, onSelect: exports.asJson },
          ...(files ? [{ id: 'open', label: 'Open a conversation file', icon: <FileInput />, onSelect: files.choose }] : []),
          ...(hasEnded(session) ? [] : ends),
        ]}
      />
      <ConfirmDialog
        open={asking !== undefined}
        onClose={() => setAsking(undefined)}
        onConfirm={() => {
          if (asking) onEnd(asking);
          setAsking(undefined);
        }}
        title={`${asking === 'complete' ? 'Complete' : 'Cancel'} ${session.metadata.name}?`}
        consequence={consequenceOf(session, active)}
        confirmLabel={asking === 'complete' ? 'Complete the Session' : 'Cancel the Session'}
        danger={asking === 'cancel'}
      />
    </>
  );
}

async function copyLink(session: Session): Promise<void> {
  const copied = await copyText(`${serverAddress()}${objectAddress({ kind: SESSION, ...refOf(session) })}`);
  if (copied) toastDone('Link copied. It opens for people who may sign in to this server');
  else toastError('The link could not be copied', new Error('The browser did not allow copying.'));
}

function consequenceOf({ status }: Session, active: ConversationTurn | undefined): string {
  const queued = status.queuedTurns ?? 0;
  const lost = [
    active && 'the current turn is cancelled',
    queued > 0 && `${queued} queued ${queued === 1 ? 'turn is' : 'turns are'} cancelled`,
  ];
  const words = lost.filter((each) => typeof each === 'string');
  const effect = words.length === 0 ? '' : ` ${words.join(' and ')}.`.replace(/^ ./, (start) => start.toUpperCase());
  return `It accepts no further messages.${effect} A rewind to a checkpoint opens it again.`;
}
