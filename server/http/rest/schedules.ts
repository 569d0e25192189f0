// Schedules beyond their objects: the next due times, and a run at once.
import { PREVIEW_DEFAULT, PREVIEW_MAX, type ScheduleService } from '../../triggers/schedules/schedule-service.ts';
import { json, type Route } from '../route.ts';
import { integer, namespaceParameter, objectOf } from './parameters.ts';
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
  ];
}
