// Work items of experiments, which any server handles.
import type { StoreTransaction, WorkItem } from '../store/store.ts';
import { advanceExperiment, type AdvanceDeps } from './advance.ts';
import { EXPERIMENT_QUEUE } from './experiment-hooks.ts';

export function createExperimentTimers(deps: AdvanceDeps) {
  return [{ queue: EXPERIMENT_QUEUE, handle: (tx: StoreTransaction, item: WorkItem) => advanceExperiment(deps, tx, item) }];
}
