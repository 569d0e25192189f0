// A value in the run list that narrows the list to rows with the same value. Out of the tab order: the toolbar has the same filters for
// keys.
import type { ReactNode } from 'react';

export interface FilterCellProps {
  /** "Show only runs of service-desk". */
  readonly label: string;
  readonly onFilter: () => void;
  readonly children: ReactNode;
}

export function FilterCell({ label, onFilter, children }: FilterCellProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      title={label}
      onClick={onFilter}
      className="max-w-full truncate rounded-xs text-left decoration-dotted underline-offset-4 hover:text-accent-text hover:underline"
    >
      {children}
    </button>
  );
}
