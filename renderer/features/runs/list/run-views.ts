// Views of the run list for everybody. Pure.
import type { SavedView } from '../../../preferences/saved-views.ts';
import { NO_FILTERS, type RunListState } from './run-list-input.ts';

export type RunFilters = Pick<RunListState, keyof typeof NO_FILTERS>;

export type RunView = SavedView<RunFilters>;

const view = (id: string, name: string, filters: Partial<RunFilters>): RunView => ({ id, name, filters: { ...NO_FILTERS, ...filters } });

export const SYSTEM_VIEWS: readonly RunView[] = [
  view('all', 'All runs', {}),
  view('long', 'Running longer than 1 h', { phase: ['Running'], lasting: '1h' }),
  view('waiting', 'Waiting for approval', { phase: ['WaitingApproval'] }),
  view('dead', 'Dead letter', { phase: ['DeadLetter'] }),
  view('trials', 'Trials', { trial: 'only' }),
  view('failed-today', 'Failed today', { phase: ['Failed', 'DeadLetter'], ended: 'today' }),
];
