// Work items of triggers, which any server handles.
import type { Clock } from '../clock.ts';
import type { StoreTransaction, WorkItem } from '../store/store.ts';
import { RECHECK_QUEUE, recheckTriggers, type RecheckDeps } from './recheck.ts';
import { fireSchedule } from './schedules/fire.ts';
import { noteRunEnd, RUN_ENDED_QUEUE } from './schedules/run-ended.ts';
import { recheckSchedule, SCHEDULE, SCHEDULE_QUEUE } from './schedules/schedule-hooks.ts';
import type { ScheduleDeps } from './schedules/status.ts';
import { requestStatus, WEBHOOK_STATUS_QUEUE } from './webhooks/records.ts';
import { writeWebhookStatus, type SecretLookup } from './webhooks/webhook-hooks.ts';

export interface TriggerTimer {
  readonly queue: string;
  readonly handle: (tx: StoreTransaction, item: WorkItem, now: number) => Promise<{ readonly againAt: number } | undefined>;
}

export interface TriggerDeps extends ScheduleDeps {
  readonly clock: Clock;
  readonly lookUpSecret: SecretLookup;
}

/** Makes the status of a trigger due now. */
const wakeTrigger: RecheckDeps['wake'] = (tx, trigger, now) =>
  trigger.kind === SCHEDULE ? recheckSchedule(tx, trigger, now) : requestStatus(tx, trigger, now);

export function createTriggerTimers(deps: TriggerDeps): TriggerTimer[] {
  return [
    { queue: WEBHOOK_STATUS_QUEUE, handle: (tx, item) => writeWebhookStatus(deps, tx, item) },
    { queue: SCHEDULE_QUEUE, handle: (tx, item) => fireSchedule(deps, tx, item) },
    { queue: RECHECK_QUEUE, handle: (tx, item) => recheckTriggers({ clock: deps.clock, wake: wakeTrigger }, tx, item) },
    { queue: RUN_ENDED_QUEUE, handle: (tx, item) => noteRunEnd(deps, tx, item) },
  ];
}
