// Schedule that a person's request is about to run: its row is held until the transaction ends.
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { ObjectRef } from '@svc/shared/resource';
import type { StoredObject, StoreTransaction } from '../../store/store.ts';
import { settleRuns, type SettledRuns } from './history.ts';
import { SCHEDULE } from './schedule-hooks.ts';
import { nextSlot, scheduleStates, type ScheduleState } from './schedule-state.ts';

export interface HeldSchedule {
  readonly schedule: StoredObject;
  readonly state: ScheduleState;
  readonly settled: SettledRuns;
}

export const titleOf = ({ namespace, name }: Pick<StoredObject, 'namespace' | 'name'>): string => `TaskSchedule ${namespace}/${name}`;

/** `not_found` when the schedule that the caller has read is gone, even if another one has its name. */
export async function holdSchedule(tx: StoreTransaction, found: ObjectRef, now: number): Promise<HeldSchedule> {
  const { namespace, name, uid } = found;
  const schedule = await tx.getObjectForUpdate({ kind: SCHEDULE, namespace, name });
  if (schedule?.uid !== uid) throw new ServiceError('not_found', `${titleOf(found)} does not exist`);
  const state = (await scheduleStates.get(tx, uid)) ?? { next: nextSlot(specOf(SCHEDULE, schedule), now) };
  return { schedule, state, settled: await settleRuns(tx, schedule, state) };
}

/** Throws `conflict` while a run is active. */
export function requireIdle({ schedule, settled }: HeldSchedule): void {
  const [active] = settled.runs.active;
  if (!active) return;
  const run = `${schedule.namespace}/${active.name}`;
  throw new ServiceError('conflict', `${titleOf(schedule)} has an active run, ${run}; wait for it or cancel it`);
}
