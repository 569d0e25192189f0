// Changes of runs, among those of all kinds.
import type { WatchItem } from '@svc/shared/api/watch';
import { TASK } from './run.ts';

export const isOfRun = ({ kind }: Pick<WatchItem, 'kind'>): boolean => kind === TASK;
