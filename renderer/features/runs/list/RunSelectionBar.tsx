// Actions for the selected runs.
import { Columns2, Download, RotateCcw, Square, X } from 'lucide-react';
import { useState } from 'react';
import { compareAddress } from '../../../navigation/addresses.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { BatchDialog } from '../actions/BatchDialog.tsx';
import { planBatch, type BatchAction } from '../actions/batch.ts';
import { svcctlRun } from '../actions/run-commands.ts';
import type { Run } from '../model/run.ts';

export interface RunSelectionBarProps {
  readonly scope: string;
  readonly runs: readonly Run[];
  readonly writeBlock: string | undefined;
  readonly onClear: () => void;
}

export function RunSelectionBar({ scope, runs, writeBlock, onClear }: RunSelectionBarProps) {
  const navigation = useNavigation();
  const [action, setAction] = useState<BatchAction>();
  const reason = (wanted: BatchAction, words: string) => (planBatch(wanted, runs).able.length === 0 ? words : writeBlock);
  const [left, right] = runs;
  const compare = () => {
    if (left && right) navigation.go(compareAddress(scope, { kind: 'Task', ...left.metadata }, { kind: 'Task', ...right.metadata }));
  };
  return (
    <div
      role="toolbar"
      aria-label="Selected runs"
      className="flex flex-wrap items-center gap-2 border-y border-border bg-selected px-6 py-1.5 max-sm:px-4"
    >
      <span role="status" className="mr-1 font-medium tabular-nums">
        {runs.length} selected
      </span>
      <Button size="sm" icon={<Square />} onClick={() => setAction('cancel')} disabledReason={reason('cancel', 'All of them have ended')}>
        Cancel
      </Button>
      <Button size="sm" icon={<RotateCcw />} onClick={() => setAction('retry')} disabledReason={reason('retry', 'None of them has ended')}>
        Retry
      </Button>
      <Button
        size="sm"
        icon={<Columns2 />}
        onClick={compare}
        disabledReason={runs.length === 2 ? undefined : 'Select exactly two runs to compare them'}
      >
        Compare
      </Button>
      <span className="inline-flex [&_svg]:size-4">
        <CopyButton words label="Copy as svcctl" text={() => runs.map(svcctlRun).join('\n\n')} />
      </span>
      <Button
        size="sm"
        icon={<Download />}
        onClick={() => download(exportName(runs), `${JSON.stringify(runs, null, 2)}\n`, 'application/json')}
      >
        Export JSON
      </Button>
      <span className="flex-1" />
      <IconButton size="sm" label="Clear the selection" icon={<X />} onClick={onClear} />
      {action && <BatchDialog action={action} runs={runs} blocked={writeBlock} onClose={() => setAction(undefined)} />}
    </div>
  );
}

function exportName(runs: readonly Run[]): string {
  const [only] = runs;
  return runs.length === 1 && only ? `${only.metadata.name}.json` : `runs-${runs.length}.json`;
}
