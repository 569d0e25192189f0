// Shapes of TaskSchedule: runs created from a template Task by cron.
import { z } from 'zod';
import { commonStatus, flag, integer, names, requiredText, text } from '../fields.ts';

export const CONCURRENCY_POLICIES = ['forbid'] as const;

export const taskScheduleSpec = z.strictObject({
  task_ref: requiredText('The template Task to run, as name or namespace/name.', { format: 'ref:Task' }),
  schedule: requiredText('When to run: a cron expression of five fields (minute, hour, day of month, month, day of week).', {
    format: 'cron',
  }),
  time_zone: text('IANA name of the time zone the cron expression is read in.', { defaultText: 'UTC', format: 'time-zone' }),
  suspend: flag('Stops new runs while true; started runs continue.'),
  starting_deadline_seconds: integer('How late, in seconds, a missed run may still be started.', { defaultText: '300' }),
  concurrency_policy: text('What happens when a run is due while an earlier one is not finished: `forbid` leaves the new one out.', {
    defaultText: 'forbid',
    values: CONCURRENCY_POLICIES,
  }),
  successful_history_limit: integer('How many succeeded runs are kept.', { defaultText: '10' }),
  failed_history_limit: integer('How many failed runs are kept.', { defaultText: '3' }),
});

export const taskScheduleStatus = z.strictObject({
  ...commonStatus,
  lastScheduleTime: text('The newest due time that was acted on.', { format: 'date-time' }),
  lastSuccessfulTime: text('When a run last succeeded.', { format: 'date-time' }),
  nextScheduleTime: text('The next due time; absent while suspended.', { format: 'date-time' }),
  lastTriggeredTask: text('The Task made last, as namespace/name.', { format: 'ref:Task' }),
  activeRuns: names('Tasks of this schedule that are not finished, as namespace/name.'),
});

export type WrittenTaskScheduleSpec = z.infer<typeof taskScheduleSpec>;
export type TaskScheduleStatus = z.infer<typeof taskScheduleStatus>;
