// Actions for the selected rows of a list.
import type { Resource } from '@svc/shared/resource';
import { Download, Pause, Play, Tag, Trash2, X } from 'lucide-react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { canSuspend } from '../object-traits.ts';
import type { ObjectActions } from '../parts/use-object-actions.tsx';
import type { SelectAll } from '../../../ui/table/use-select-all.ts';
import { countOf } from '../object-text.ts';

export interface SelectionBarProps {
  readonly kind: KindSummary;
  readonly selected: readonly Resource[];
  readonly actions: ObjectActions;
  readonly onClear: () => void;
  /** Selects the rows below too; absent where all are selected. */
  readonly all: SelectAll | undefined;
}

export function SelectionBar({ kind, selected, actions, onClear, all }: SelectionBarProps) {
  const { reason } = useCanWrite();
  const write = { disabledReason: reason };
  return (
    <div
      role="toolbar"
      // Keeps the focus of a button that goes with its press.
      tabIndex={-1}
      aria-label="Selected objects"
      className="flex flex-wrap items-center gap-2 border-b border-border bg-accent-soft px-6 py-1.5 max-sm:px-4"
    >
      <IconButton size="sm" label="Clear the selection" icon={<X />} onClick={onClear} />
      <span className="mr-2 font-medium" role="status">
        {countOf(kind.kind, selected.length)} selected
      </span>
      {all && (
        <Button size="sm" variant="ghost" busy={all.busy} onClick={all.select}>
          {all.label}
        </Button>
      )}
      <Button size="sm" icon={<Tag />} {...write} onClick={() => actions.ask('labels', selected)}>
        Edit labels
      </Button>
      {canSuspend(kind) && (
        <>
          <Button size="sm" icon={<Pause />} {...write} onClick={() => actions.ask('suspend', selected)}>
            Suspend
          </Button>
          <Button size="sm" icon={<Play />} {...write} onClick={() => actions.ask('resume', selected)}>
            Resume
          </Button>
        </>
      )}
      <Button size="sm" icon={<Download />} onClick={() => void actions.exportYaml(selected)}>
        Export YAML
      </Button>
      <Button size="sm" variant="danger-quiet" icon={<Trash2 />} {...write} onClick={() => actions.ask('delete', selected)}>
        Delete
      </Button>
    </div>
  );
}
