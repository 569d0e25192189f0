// Work of the app on all data of this machine's server: the phases in which no server may start, and their words. Pure.
import type { BackendState } from '@svc/shared/desktop-api';

export type DataWork = Extract<BackendState['phase'], 'copying' | 'restoring' | 'resetting'>;

export const WORK_SENTENCES: Readonly<Record<DataWork, string>> = {
  copying: 'The data is being copied',
  restoring: 'A copy is being restored',
  resetting: 'The data is being reset',
};

export const isDataWork = (phase: BackendState['phase']): phase is DataWork => phase in WORK_SENTENCES;
