// Schedules for the console: the next due times, a run at once, and runs of past due times. Translates; decides nothing.
import { z } from 'zod';
import { PREVIEW_MAX } from '../../triggers/schedules/schedule-service.ts';
import * as types from '../text-types.ts';
import { objectRef, text } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const backfillRequest = objectRef.extend({ from: text(types.instant), to: text(types.instant) });

export const schedulesRouter = router({
  preview: procedure
    .input(objectRef.extend({ count: z.int().min(1).max(PREVIEW_MAX) }))
    .query(({ ctx, input: { count, ...schedule } }) => ctx.services.schedules.preview(ctx.caller, schedule, count)),
  slots: procedure.input(objectRef).query(({ ctx, input }) => ctx.services.schedules.slots(ctx.caller, input)),
  trigger: procedure.input(objectRef).mutation(({ ctx, input }) => ctx.services.schedules.trigger(ctx.caller, input)),
  previewBackfill: procedure
    .input(backfillRequest)
    .query(({ ctx, input: { from, to, ...schedule } }) => ctx.services.schedules.previewBackfill(ctx.caller, schedule, { from, to })),
  backfill: procedure
    .input(backfillRequest)
    .mutation(({ ctx, input: { from, to, ...schedule } }) => ctx.services.schedules.backfill(ctx.caller, schedule, { from, to })),
});
