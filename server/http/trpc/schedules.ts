// Schedules for the console: the next due times, and a run at once. Translates; decides nothing.
import { z } from 'zod';
import { PREVIEW_MAX } from '../../triggers/schedules/schedule-service.ts';
import { objectRef } from './inputs.ts';
import { procedure, router } from './trpc.ts';

export const schedulesRouter = router({
  preview: procedure
    .input(objectRef.extend({ count: z.int().min(1).max(PREVIEW_MAX) }))
    .query(({ ctx, input: { count, ...schedule } }) => ctx.services.schedules.preview(ctx.caller, schedule, count)),
  slots: procedure.input(objectRef).query(({ ctx, input }) => ctx.services.schedules.slots(ctx.caller, input)),
  trigger: procedure.input(objectRef).mutation(({ ctx, input }) => ctx.services.schedules.trigger(ctx.caller, input)),
});
