// Selected runs: the bar with their actions, and the dialogs of these, which stay when the runs leave the list.
import { Suspense, useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { TableSelection } from '../../../ui/table/table-model.ts';
import type { SelectAll } from '../../../ui/table/use-select-all.ts';
import { BatchDialog } from '../actions/BatchDialog.tsx';
import type { BatchAction } from '../actions/batch.ts';
import { TASK, type Run } from '../model/run.ts';
import { RunSelectionBar } from './RunSelectionBar.tsx';
import { useSelectedRuns } from './use-selected-runs.ts';

const DeleteDialog = lazyPart(async () => (await import('../../explorer/parts/DeleteDialog.tsx')).DeleteDialog);

const NO_RUNS: ReadonlySet<string> = new Set();

export interface RunSelectionProps {
  readonly scope: string;
  readonly rows: readonly Run[];
  readonly selection: TableSelection;
  readonly all: SelectAll | undefined;
}

export function RunSelection({ scope, rows, selection: { selected, onChange }, all }: RunSelectionProps) {
  const { reason: writeBlock } = useCanWrite();
  const [asked, setAsked] = useState<BatchAction | 'delete'>();
  const runs = useSelectedRuns(rows, selected, asked === undefined);
  const [deleted, setDeleted] = useState<readonly Run[]>([]);
  const ask = (action: BatchAction | 'delete') => {
    if (action === 'delete') setDeleted(runs);
    setAsked(action);
  };
  const close = () => setAsked(undefined);
  /** Keeps refused runs selected. */
  const leaveOut = (done: ReadonlySet<string>) => onChange(new Set([...selected].filter((key) => !done.has(key))));
  return (
    <>
      {runs.length > 0 && (
        <RunSelectionBar scope={scope} runs={runs} writeBlock={writeBlock} onAsk={ask} onClear={() => onChange(NO_RUNS)} all={all} />
      )}
      {(asked === 'cancel' || asked === 'retry') && (
        <BatchDialog
          action={asked}
          runs={runs}
          blocked={writeBlock}
          onClose={(done) => {
            close();
            leaveOut(done);
          }}
        />
      )}
      {asked === 'delete' && (
        <Suspense>
          <DeleteDialog kind={TASK} resources={deleted} onClose={close} onEnded={leaveOut} />
        </Suspense>
      )}
    </>
  );
}
