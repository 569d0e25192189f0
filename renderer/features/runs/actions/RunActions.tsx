// Actions for a run, by the kind's own table of actions.
import {
  Columns2,
  Download,
  Ellipsis,
  FlaskConical,
  GitCompareArrows,
  PencilLine,
  RotateCcw,
  Square,
  SquareTerminal,
  Trash2,
} from 'lucide-react';
import { Suspense, useState } from 'react';
import { serverAddress } from '../../../ui/link/base-path.ts';
import { kindAddress, objectAddress } from '../../../navigation/addresses.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { useGoOn } from '../../../navigation/own-location.ts';
import { useAskParameter } from '../../../navigation/use-ask-parameter.ts';
import { client } from '../../../live/api.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { copyText } from '../../../ui/button/copy-text.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { Menu } from '../../../ui/overlay/Menu.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { draftOfTrial, NO_TRIAL, scopeOfTrial, WHOLE } from '../../trials/model/trial-draft.ts';
import { canAct } from './batch.ts';
import { CancelDialog } from './CancelDialog.tsx';
import { ComparePicker } from '../compare/ComparePicker.tsx';
import { RetryDialog } from './RetryDialog.tsx';
import { retryConsequence } from './retry-text.ts';
import { curlRun, svcctlRun } from './run-commands.ts';
import { isTemplate, phaseOf, TASK, type Run } from '../model/run.ts';
import { useRetry, useRunAgain } from './use-retry.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { LoadedRunProps } from '../run/RunPage.tsx';

type Open = 'cancel' | 'again' | 'retry' | 'trial' | 'compare' | 'delete' | undefined;

const DeleteDialog = lazyPart(async () => (await import('../../explorer/parts/DeleteDialog.tsx')).DeleteDialog);

const TrialDialog = lazyPart(async () => (await import('../../trials/parts/TrialDialog.tsx')).TrialDialog);

/** The trial that it was, or an empty one. */
function startOfRun({ spec: { trial } }: Run) {
  return trial ? { draft: draftOfTrial(trial), scope: scopeOfTrial(trial) } : { draft: NO_TRIAL, scope: WHOLE };
}

export function RunActions({ run, scope, deleted, trace }: LoadedRunProps) {
  const [open, setOpen] = useState<Open>();
  const { reason: writeBlock } = useCanWrite();
  const navigation = useNavigation();
  const goOn = useGoOn();
  const retry = useRetry((made) => {
    const href = objectAddress({ kind: TASK, ...made.metadata }, scope);
    const went = goOn(href);
    toastDone(`Started ${made.metadata.name}`, went ? undefined : { label: 'Open', onSelect: () => navigation.go(href) });
  });
  const gone = deleted ? 'The run was deleted' : writeBlock;
  const mayRetry = canAct('retry', run);
  const repeat = () => retry.mutate({ run });
  const consequence = retryConsequence(run, ['loading', 'failed'].includes(trace.state.phase) ? undefined : trace.store.entries);
  const ask = () => (consequence === undefined ? repeat() : setOpen('again'));
  useRunShortcuts({ run, scope, gone, onOpen: setOpen, onRetry: ask });
  useAskParameter('cancel', () => setOpen(canAct('cancel', run) ? 'cancel' : undefined));
  useAskParameter('retry', () => setOpen(canAct('retry', run) ? 'retry' : undefined));
  const close = () => setOpen(undefined);
  return (
    <>
      {canAct('cancel', run) && (
        <Button icon={<Square />} variant="danger-quiet" disabledReason={gone} onClick={() => setOpen('cancel')}>
          Cancel
        </Button>
      )}
      {mayRetry && (
        <>
          <Button icon={<PencilLine />} disabledReason={gone} onClick={() => setOpen('retry')}>
            Retry with edits
          </Button>
          <Button
            icon={<RotateCcw />}
            // A run that succeeded need not be repeated, and its side effects would be.
            variant={phaseOf(run) === 'Succeeded' ? 'secondary' : 'primary'}
            busy={retry.isPending}
            disabledReason={gone}
            onClick={ask}
          >
            Retry
          </Button>
        </>
      )}
      <RunMenu run={run} scope={scope} gone={gone} onOpen={setOpen} />
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'again' && <ConfirmRetry run={run} consequence={consequence} gone={gone} onRetry={repeat} onClose={close} />}
      {open === 'retry' && !isTemplate(run) && <RetryDialog run={run} retry={retry} onClose={close} />}
      {open === 'delete' && (
        <Suspense>
          <DeleteDialog kind={TASK} resources={[run]} onClose={close} onDeleted={() => goOn(kindAddress(scope, TASK))} />
        </Suspense>
      )}
      {open === 'trial' && (
        <Suspense>
          <TrialDialog run={run} scope={scope} start={startOfRun(run)} onClose={close} />
        </Suspense>
      )}
      {open === 'compare' && <ComparePicker run={run} scope={scope} onClose={close} />}
    </>
  );
}

interface ConfirmRetryProps {
  readonly run: Run;
  readonly consequence: string | undefined;
  readonly gone: string | undefined;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

function ConfirmRetry({ run, consequence, gone, onRetry, onClose }: ConfirmRetryProps) {
  const confirm = () => {
    onClose();
    onRetry();
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={confirm}
      title={`Retry ${run.metadata.name}?`}
      consequence={consequence}
      confirmLabel="Retry the run"
      cancelLabel="Cancel"
      danger={false}
      disabledReason={gone}
    />
  );
}

interface RunMenuProps {
  readonly run: Run;
  readonly scope: string;
  /** Reason why nothing can be changed now. */
  readonly gone: string | undefined;
  readonly onOpen: (dialog: Open) => void;
}

/** The same actions for the palette. */
function useRunShortcuts({ run, scope, gone, onOpen, onRetry }: RunMenuProps & { readonly onRetry: () => void }): void {
  const again = useRunAgain(run, scope);
  const able = (action: 'cancel' | 'retry') => gone === undefined && canAct(action, run);
  const action = (id: string, label: string, act: () => void) => ({ id: `run.${id}`, label, run: act });
  useShortcut({ ...action('cancel', 'Cancel this run…', () => onOpen('cancel')), when: able('cancel') });
  useShortcut({ ...action('retry', 'Retry this run', onRetry), when: able('retry') });
  useShortcut({ ...action('edits', 'Retry this run with edits…', () => onOpen('retry')), when: able('retry') });
  useShortcut({ ...action('again', 'Run again and compare', again), when: able('retry') });
  useShortcut({ ...action('trial', 'Run as a trial…', () => onOpen('trial')), when: gone === undefined && !isTemplate(run) });
  useShortcut(action('compare', 'Compare this run with…', () => onOpen('compare')));
  useShortcut(action('svcctl', 'Copy this run as svcctl', () => void copy(svcctlRun(run))));
  useShortcut(action('curl', 'Copy this run as curl', () => void copy(curlRun(run, serverAddress()))));
}

function RunMenu({ run, scope, gone, onOpen }: RunMenuProps) {
  const again = useRunAgain(run, scope);
  const mayRetry = canAct('retry', run);
  return (
    <Menu
      align="end"
      trigger={<IconButton label="More actions" icon={<Ellipsis />} variant="secondary" />}
      items={[
        { id: 'svcctl', label: 'Copy as svcctl', icon: <SquareTerminal />, onSelect: () => void copy(svcctlRun(run)) },
        {
          id: 'curl',
          label: 'Copy as curl',
          icon: <SquareTerminal />,
          onSelect: () => void copy(curlRun(run, serverAddress())),
        },
        'separator',
        ...(mayRetry
          ? [
              {
                id: 'again',
                label: 'Run again and compare',
                icon: <GitCompareArrows />,
                disabledReason: gone,
                onSelect: again,
              },
            ]
          : []),
        ...(isTemplate(run)
          ? []
          : [
              {
                id: 'trial',
                label: 'Run as a trial…',
                icon: <FlaskConical />,
                disabledReason: gone,
                onSelect: () => onOpen('trial'),
              },
            ]),
        { id: 'compare', label: 'Compare with…', icon: <Columns2 />, onSelect: () => onOpen('compare') },
        { id: 'export', label: 'Export JSON', icon: <Download />, onSelect: () => void exportRun(run) },
        'separator',
        { id: 'delete', label: 'Delete…', icon: <Trash2 />, danger: true, disabledReason: gone, onSelect: () => onOpen('delete') },
      ]}
    />
  );
}

async function copy(text: string): Promise<void> {
  const copied = await copyText(text);
  announce(copied ? 'Copied' : 'Copying failed');
  if (copied) toastDone('Copied');
}

/** Exports a run with its trace and messages; status.truncated names the route to the rest. */
async function exportRun({ metadata: { namespace, name } }: Run): Promise<void> {
  try {
    const whole = await client.resources.get.query({ kind: TASK, namespace, name });
    download(`${name}.json`, `${JSON.stringify(whole, null, 2)}\n`, 'application/json');
  } catch (error) {
    toastError(`${name} could not be exported`, error);
  }
}
