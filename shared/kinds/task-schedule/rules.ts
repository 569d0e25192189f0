// Rules of TaskSchedule: defaults, and the write-time checks of cron expression, time zone and policies.
import { cronProblem, timeZoneProblem } from '../../cron/cron.ts';
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, objectRef, oneOf, problemAt } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { CONCURRENCY_POLICIES, type WrittenTaskScheduleSpec } from './schema.ts';

const TIME_ZONE_DEFAULT = 'UTC';
const STARTING_DEADLINE_DEFAULT_SECONDS = 300;
const SUCCESSFUL_HISTORY_DEFAULT = 10;
const FAILED_HISTORY_DEFAULT = 3;

export function normalizeTaskSchedule(spec: WrittenTaskScheduleSpec) {
  return defined({
    ...spec,
    task_ref: spec.task_ref.trim(),
    schedule: spec.schedule.trim(),
    time_zone: trimmed(spec.time_zone) ?? TIME_ZONE_DEFAULT,
    starting_deadline_seconds: spec.starting_deadline_seconds ?? STARTING_DEADLINE_DEFAULT_SECONDS,
    concurrency_policy: keyword(spec.concurrency_policy) ?? 'forbid',
    successful_history_limit: spec.successful_history_limit ?? SUCCESSFUL_HISTORY_DEFAULT,
    failed_history_limit: spec.failed_history_limit ?? FAILED_HISTORY_DEFAULT,
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type TaskScheduleSpec = ReturnType<typeof normalizeTaskSchedule>;

export function validateTaskSchedule(spec: TaskScheduleSpec): FieldError[] {
  return [
    ...objectRef('spec.task_ref', spec.task_ref),
    ...problemAt('spec.schedule', spec.schedule === '' ? undefined : cronProblem(spec.schedule)),
    ...problemAt('spec.time_zone', spec.time_zone === undefined ? undefined : timeZoneProblem(spec.time_zone)),
    ...oneOf('spec.concurrency_policy', spec.concurrency_policy, CONCURRENCY_POLICIES),
    ...atLeast('spec.starting_deadline_seconds', spec.starting_deadline_seconds, 0),
    ...atLeast('spec.successful_history_limit', spec.successful_history_limit, 0),
    ...atLeast('spec.failed_history_limit', spec.failed_history_limit, 0),
  ];
}

export function taskScheduleReferences(spec: TaskScheduleSpec, context: RuleContext): Reference[] {
  return refTo({ kind: 'Task', path: 'spec.task_ref' }, spec.task_ref, context);
}
