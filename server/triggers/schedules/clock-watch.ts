// Detects a clock that was set back, and has the status of schedules written whose slots it leaves out.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { eachObject } from '../../store/each-object.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { Clock } from '../../clock.ts';
import { recheckSchedule, SCHEDULE } from './schedule-hooks.ts';
import { leftOut } from './status.ts';

/** A smaller correction leaves out no slot: they are minutes apart. */
const SET_BACK_MS = 60_000;

/** `uptimeMs` runs on whatever the clock shows. The first call checks all schedules: the clock may have been set back while no server ran. */
export function createClockWatch({ store, clock }: { readonly store: Store; readonly clock: Clock }, uptimeMs = () => performance.now()) {
  const bootTime = () => clock.now() - uptimeMs();
  let known = Infinity;
  return async (): Promise<void> => {
    const found = bootTime();
    if (known - found >= SET_BACK_MS)
      for await (const schedule of eachObject(store, { kind: SCHEDULE }))
        if (leavesOut(schedule, clock.now())) await transactAgain(store, (tx) => recheckSchedule(tx, schedule, clock.now()));
    known = found;
  };
}

function leavesOut(schedule: StoredObject, now: number): boolean {
  const next = Date.parse(statusOf(SCHEDULE, schedule).nextScheduleTime ?? '');
  return !Number.isNaN(next) && leftOut(specOf(SCHEDULE, schedule), next, now) !== undefined;
}
