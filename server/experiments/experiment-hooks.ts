// Experiments on the write path: one work item starts them, the end of each of their runs leaves another. Nothing runs in between.
import { invalidFields } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import { EXPERIMENT_LABEL } from '@svc/shared/run-origin';
import { describeKey, type Resource, type ObjectRef } from '@svc/shared/resource';
import type { RunListener } from '../engine/run-listeners.ts';
import { partName } from '../registry/principal.ts';
import type { KindHooks } from '../registry/registry.ts';
import { racing } from '../store/write-race.ts';
import type { StoreTransaction } from '../store/store.ts';
import { cancelRuns, type AdvanceDeps } from './advance.ts';
import { newState } from './metrics.ts';
import { deleteRecords, EXPERIMENT, experimentRuns, experimentStates } from './records.ts';
import { variantProblems } from './variants.ts';

/** The key is the uid of an experiment that starts or is cancelled, or the uid of a Task that has ended. */
export const EXPERIMENT_QUEUE = 'experiment.advance';

/** Has the experiment examined now. A claimed item needs nothing: its handler waits for the row, which the caller holds. */
export async function wakeExperiment(tx: StoreTransaction, { uid: key, namespace, name }: ObjectRef): Promise<void> {
  const item = await tx.getWorkItem(EXPERIMENT_QUEUE, key);
  if (item?.owner !== undefined) return;
  await racing(tx.enqueueWork({ queue: EXPERIMENT_QUEUE, key, namespace, name, rank: 0, notBefore: 0, requirements: {} }));
}

export function createExperimentHooks(deps: AdvanceDeps): (readonly [kind: string, hooks: KindHooks])[] {
  const hooks: KindHooks = {
    async admit(tx, experiment, previous) {
      if (previous) return refuseChange(experiment, previous);
      const problems = await variantProblems(tx, experiment.metadata, experiment.spec);
      if (problems.length > 0) throw invalidFields(nameOf(experiment), problems);
    },
    async onCreated(tx, experiment) {
      await experimentStates.put(tx, experiment.metadata.uid, newState(specOf(EXPERIMENT, experiment)));
      await wakeExperiment(tx, experiment.metadata);
    },
    async onDeleted(tx, { metadata, spec, status }, by) {
      const { uid, namespace, name } = metadata;
      const state = await experimentStates.get(tx, uid);
      await tx.dropWork(EXPERIMENT_QUEUE, uid);
      await deleteRecords(tx, uid);
      if (!state || state.active.length === 0) return;
      const { createdAt, updatedAt, labels, annotations } = metadata;
      const experiment = {
        ...{ kind: EXPERIMENT, namespace, name, uid, spec, status, createdAt, updatedAt, labels, annotations },
        ...{ generation: metadata.generation, resourceVersion: Number(metadata.resourceVersion) },
      };
      const reason = `${nameOf({ metadata })} was deleted`;
      await cancelRuns({ deps, tx, experiment, now: deps.clock.now() }, { active: state.active, by: by.name, reason });
    },
  };
  return [[EXPERIMENT, hooks]];
}

const nameOf = ({ metadata: { namespace, name } }: Pick<Resource, 'metadata'>): string =>
  describeKey({ kind: EXPERIMENT, namespace, name });

/** Results of one table come from one spec. */
function refuseChange(experiment: Resource, previous: Resource): void {
  if (jsonEquals(specOf(EXPERIMENT, experiment), specOf(EXPERIMENT, previous))) return;
  throw invalidFields(nameOf(experiment), [{ path: 'spec', message: 'does not change once it is created; create another experiment' }]);
}

/** Leaves a work item in the transaction that ends a run of an experiment: the run does not wait for the row of the experiment. */
export const experimentRunListener: RunListener = {
  name: 'experiments',
  async onRunChange(tx, { metadata: { uid: key, namespace, labels, createdBy } }, change) {
    if (change.kind !== 'ended' || createdBy !== partName('experiments')) return;
    // Runs of an older version have the label alone.
    const name = (await experimentRuns.take(tx, key))?.experiment ?? labels[EXPERIMENT_LABEL];
    if (name === undefined) return;
    await tx.enqueueWork({ queue: EXPERIMENT_QUEUE, key, namespace, name, rank: 0, notBefore: 0, requirements: {} });
  },
};
