// Schedules beyond their objects: the next due times, a run at once, and runs of past due times.
import { BACKFILL_MAX, type BackfillRange } from '@svc/shared/api/schedules';
import { PREVIEW_DEFAULT, PREVIEW_MAX, type ScheduleService } from '../../triggers/schedules/schedule-service.ts';
import { json, SMALL_BODY_MAX_BYTES, type Route } from '../route.ts';
import * as types from '../text-types.ts';
import { integer, namespaceParameter, objectOf, textFilter } from './parameters.ts';
import { readFields } from './request-fields.ts';
import { pageOf, ref } from './schemas.ts';

const TAG = 'TaskSchedule';
const COUNT = { min: 1, max: PREVIEW_MAX };

export function scheduleRoutes(schedules: ScheduleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/task-schedules/{name}/preview',
      access: 'reader',
      tag: TAG,
      operationId: 'previewSchedule',
      summary: 'List the next due times of a schedule',
      query: [namespaceParameter, integer('count', 'How many.', { ...COUNT, default: PREVIEW_DEFAULT })],
      responses: {
        200: {
          description: 'The times, as if the schedule were not suspended. Fewer than `count` where they end: none is after the year 2999.',
          schema: ref('SchedulePreview'),
        },
      },
      handle: async (call) =>
        json(await schedules.preview(call.context, objectOf(call), call.query.integer('count', COUNT) ?? PREVIEW_DEFAULT)),
    },
    {
      method: 'GET',
      path: '/v1/task-schedules/{name}/slots',
      access: 'reader',
      tag: TAG,
      operationId: 'listSlots',
      summary: 'List the outcomes of the newest slots of a schedule',
      description: 'At most 100, newest first: the run of each slot with its outcome, or why it left none.',
      query: [namespaceParameter],
      responses: { 200: { description: 'The slots.', schema: pageOf(ref('ScheduleSlot')) } },
      handle: async (call) => json({ items: await schedules.slots(call.context, objectOf(call)) }),
    },
    {
      method: 'POST',
      path: '/v1/task-schedules/{name}/trigger',
      access: 'writer',
      tag: TAG,
      operationId: 'triggerSchedule',
      summary: 'Run a schedule now',
      description: 'Also a suspended one. 409 while one of its runs is active.',
      query: [namespaceParameter],
      responses: { 202: { description: 'The run is created.', schema: ref('Triggered') } },
      handle: async (call) => json(await schedules.trigger(call.context, objectOf(call)), { status: 202 }),
    },
    ...backfillRoutes(schedules),
  ];
}

function backfillRoutes(schedules: ScheduleService): Route[] {
  const common = { path: '/v1/task-schedules/{name}/backfill', tag: TAG } as const;
  return [
    {
      ...common,
      method: 'GET',
      access: 'reader',
      operationId: 'previewBackfill',
      summary: 'List the due times of a schedule in a past range, with their runs',
      description: `At most ${BACKFILL_MAX}, oldest first. 409 while the schedule has yet to handle one of them.`,
      query: [
        namespaceParameter,
        { ...textFilter('from', types.instant, 'Beginning of the range.'), required: true },
        { ...textFilter('to', types.instant, 'End of the range, which belongs to it; not in the future.'), required: true },
      ],
      responses: { 200: { description: 'The due times. A backfill starts those without a run.', schema: ref('ScheduleBackfill') } },
      errors: ['conflict'],
      handle: async (call) =>
        json(
          await schedules.previewBackfill(call.context, objectOf(call), {
            from: call.query.text('from'),
            to: call.query.text('to'),
          }),
        ),
    },
    {
      ...common,
      method: 'POST',
      access: 'writer',
      operationId: 'backfillSchedule',
      summary: 'Run a schedule for its due times of a past range',
      description:
        `Starts one run for each due time that has none, at most ${BACKFILL_MAX}, all at once; of a suspended schedule too. A repeated request starts nothing twice. ` +
        '409 while a run of the schedule is active, unless every due time has its run.',
      query: [namespaceParameter],
      body: { description: 'The range.', schema: ref('BackfillRequest'), maxBytes: SMALL_BODY_MAX_BYTES },
      responses: { 202: { description: 'Each due time has its run.', schema: ref('ScheduleBackfill') } },
      handle: async (call) =>
        json(await schedules.backfill(call.context, objectOf(call), await readFields<BackfillRange>(call)), { status: 202 }),
    },
  ];
}
