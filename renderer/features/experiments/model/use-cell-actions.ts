// Actions on the cells of a table of results, by button and by key.
import type { ExperimentResult, Thumb } from '@svc/shared/api/experiments';
import { useState } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { toastInfo } from '../../../ui/overlay/toast.ts';
import type { ResultRow } from './table.ts';
import type { Results } from './use-results.ts';

export interface CellActions {
  readonly cannotRate: string | undefined;
  readonly isUnfolded: (row: ResultRow) => boolean;
  readonly unfold: (row: ResultRow) => void;
  /** Sets the thumb, or removes an equal one. */
  readonly rate: (cell: ExperimentResult, thumb: Thumb) => void;
  /** Result whose note is being written. */
  readonly noted: ExperimentResult | undefined;
  readonly note: (cell: ExperimentResult | undefined) => void;
  /** The dialog stays open until the note is stored. */
  readonly saveNote: (note: string | null) => Promise<void>;
  /** Action of a key on a cell; undefined for another key. */
  readonly ofKey: (key: string, row: ResultRow, cell: ExperimentResult | undefined) => (() => void) | undefined;
}

export function useCellActions(namespace: string, rate: Results['rate']): CellActions {
  const { reason: cannotRate } = useCanWrite('approver');
  const { go } = useNavigation();
  const { scope } = useScope();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [noted, setNoted] = useState<ExperimentResult>();
  const allowed = (act: () => void) => (cannotRate === undefined ? act() : toastInfo(cannotRate));
  const rateCell = (cell: ExperimentResult, thumb: Thumb) =>
    allowed(() => void rate(cell, { thumb: cell.rating?.thumb === thumb ? null : thumb, note: cell.rating?.note ?? null }));
  const unfold = ({ id }: ResultRow) =>
    setOpen((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]));
  return {
    cannotRate,
    isUnfolded: ({ id }) => open.has(id),
    unfold,
    rate: rateCell,
    noted,
    note: setNoted,
    async saveNote(note) {
      if (noted) setNoted(await rate(noted, { thumb: noted.rating?.thumb ?? null, note }));
    },
    ofKey(key, row, cell) {
      if (key === 'Enter') return () => unfold(row);
      if (!cell) return undefined;
      if (key === '+' || key === '-') return () => rateCell(cell, key === '+' ? 'up' : 'down');
      if (key === 'n') return () => allowed(() => setNoted(cell));
      const { task } = cell;
      return key === 'o' && task !== null ? () => go(objectAddress({ kind: 'Task', namespace, name: task }, scope)) : undefined;
    },
  };
}
