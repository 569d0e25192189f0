import { expect, test } from 'vitest';
import { normalizeTaskSchedule, taskScheduleReferences, validateTaskSchedule } from './rules.ts';

const context = { namespace: 'team-a', name: 'nightly' };

test('the template Task may be of another namespace', () => {
  expect(taskScheduleReferences(normalizeTaskSchedule({ task_ref: 'team-b/report', schedule: '0 2 * * *' }), context)).toEqual([
    { kind: 'Task', namespace: 'team-b', name: 'report', path: 'spec.task_ref' },
  ]);
});

test.each(['0 2 * * *', '*/5 * * * *', '0 9-17/2 * * MON-FRI', '0 0 1,15 * *', '59 23 31 12 7', '0 0 29 2 *'])(
  '%s is a schedule',
  (schedule) => {
    expect(validateTaskSchedule(normalizeTaskSchedule({ task_ref: 'report', schedule }))).toEqual([]);
  },
);

test.each([
  '0 24 * * *',
  '60 * * * *',
  '0 0 32 * *',
  '0 0 * 13 *',
  '0 0 * * 8',
  '* * * * * *',
  '* * * *',
  '@hourly',
  'a b c d e',
  '0 2 L * *',
])('%s is not a schedule', (schedule) => {
  const errors = validateTaskSchedule(normalizeTaskSchedule({ task_ref: 'report', schedule }));
  expect(errors.map((error) => error.path)).toEqual(['spec.schedule']);
});
