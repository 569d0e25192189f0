// Detects a clock that was set back, and has the status of all schedules written: a clock that was ahead may have left slots out.
import { eachObject } from '../../store/each-object.ts';
import type { Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { Clock } from '../../clock.ts';
import { recheckSchedule, SCHEDULE } from './schedule-hooks.ts';

/** A smaller correction leaves out no slot: they are minutes apart. */
const SET_BACK_MS = 60_000;

/** `uptimeMs` runs on whatever the clock shows. */
export function createClockWatch({ store, clock }: { readonly store: Store; readonly clock: Clock }, uptimeMs = () => performance.now()) {
  const bootTime = () => clock.now() - uptimeMs();
  let known = bootTime();
  return async (): Promise<void> => {
    const found = bootTime();
    if (known - found >= SET_BACK_MS)
      for await (const schedule of eachObject(store, { kind: SCHEDULE }))
        await transactAgain(store, (tx) => recheckSchedule(tx, schedule, clock.now()));
    known = found;
  };
}
