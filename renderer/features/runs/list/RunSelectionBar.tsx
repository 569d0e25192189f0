// Bar with the actions for the selected runs.
import { parseRef } from '@svc/shared/resource';
import { Columns2, Download, FlaskConical, RotateCcw, Square, Trash2, X } from 'lucide-react';
import { casesAddress, compareAddress } from '../../../navigation/addresses.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import type { SelectAll } from '../../../ui/table/use-select-all.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { canAct, type BatchAction } from '../actions/batch.ts';
import { svcctlRun } from '../actions/run-commands.ts';
import type { Run } from '../model/run.ts';

export interface RunSelectionBarProps {
  readonly scope: string;
  readonly runs: readonly Run[];
  readonly writeBlock: string | undefined;
  readonly onAsk: (action: BatchAction | 'delete') => void;
  readonly onClear: () => void;
  /** Selects the matches that are not loaded too; absent where all are selected. */
  readonly all: SelectAll | undefined;
}

export function RunSelectionBar({ scope, runs, writeBlock, onAsk, onClear, all }: RunSelectionBarProps) {
  const navigation = useNavigation();
  const reason = (wanted: BatchAction, words: string) => (runs.some((run) => canAct(wanted, run)) ? writeBlock : words);
  const [left, right] = runs;
  const cases = casesOf(runs);
  const compare = () => {
    if (left && right) navigation.go(compareAddress(scope, { kind: 'Task', ...left.metadata }, { kind: 'Task', ...right.metadata }));
  };
  return (
    <div
      role="toolbar"
      // Keeps the focus of a button that goes with its press.
      tabIndex={-1}
      aria-label="Selected runs"
      className="flex flex-wrap items-center gap-2 border-y border-border bg-selected px-6 py-1.5 max-sm:px-4"
    >
      <span role="status" className="mr-1 font-medium tabular-nums">
        {formatNumber(runs.length)} selected
      </span>
      {all && (
        <Button size="sm" variant="ghost" busy={all.busy} onClick={all.select}>
          {all.label}
        </Button>
      )}
      <Button size="sm" icon={<Square />} onClick={() => onAsk('cancel')} disabledReason={reason('cancel', 'All of them have ended')}>
        Cancel
      </Button>
      <Button size="sm" icon={<RotateCcw />} onClick={() => onAsk('retry')} disabledReason={reason('retry', 'None of them has ended')}>
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
      <Button
        size="sm"
        icon={<FlaskConical />}
        onClick={() => cases && navigation.go(casesAddress(cases.namespace, cases.name, cases.runs))}
        disabledReason={cases ? undefined : `Select at most ${CASES_MAX} runs of one system in its namespace`}
      >
        Replay as test
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
      <Button size="sm" variant="danger-quiet" icon={<Trash2 />} disabledReason={writeBlock} onClick={() => onAsk('delete')}>
        Delete
      </Button>
      <span className="flex-1" />
      <IconButton size="sm" label="Clear the selection" icon={<X />} onClick={onClear} />
    </div>
  );
}

/** Their names are part of an address. */
const CASES_MAX = 50;

/** System of the runs, if it is the same for all and of their namespace, and their names. */
function casesOf(
  runs: readonly Run[],
): { readonly namespace: string; readonly name: string; readonly runs: readonly string[] } | undefined {
  const systems = new Map(runs.map(({ metadata, spec }) => [`${metadata.namespace} ${spec.system}`, { metadata, spec }]));
  const [only] = systems.values();
  if (!only || systems.size > 1 || runs.length > CASES_MAX) return undefined;
  const { namespace, name } = parseRef(only.spec.system, only.metadata.namespace);
  return namespace === only.metadata.namespace ? { namespace, name, runs: runs.map(({ metadata }) => metadata.name) } : undefined;
}

function exportName(runs: readonly Run[]): string {
  const [only] = runs;
  return runs.length === 1 && only ? `${only.metadata.name}.json` : `runs-${runs.length}.json`;
}
