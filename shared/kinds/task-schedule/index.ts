// The kind TaskSchedule.
import { defineKind } from '../define.ts';
import { normalizeTaskSchedule, taskScheduleReferences, validateTaskSchedule } from './rules.ts';
import { taskScheduleSpec, taskScheduleStatus } from './schema.ts';

export const taskSchedule = defineKind({
  kind: 'TaskSchedule',
  plural: 'task-schedules',
  area: 'triggers',
  icon: 'CalendarClock',
  shortNames: ['task-schedule', 'taskschedules', 'schedule', 'schedules', 'sched'],
  description: 'Runs a template Task by cron in a time zone. Each due time makes at most one run, across restarts and servers.',
  spec: taskScheduleSpec,
  status: taskScheduleStatus,
  phases: ['Pending', 'Ready', 'Suspended', 'Error'],
  normalize: normalizeTaskSchedule,
  validate: validateTaskSchedule,
  references: taskScheduleReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Schedule', path: 'spec.schedule' },
    { title: 'Time zone', path: 'spec.time_zone' },
    { title: 'Task', path: 'spec.task_ref' },
    { title: 'Next run', path: 'status.nextScheduleTime', sort: true },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Suspended', path: 'spec.suspend', wide: true },
    { title: 'Last run', path: 'status.lastScheduleTime', wide: true, sort: true },
    { title: 'Last task', path: 'status.lastTriggeredTask', wide: true },
  ],
  fieldSelectors: ['status.phase'],
  keepsVersions: true,
  applyOrder: 80,
});
