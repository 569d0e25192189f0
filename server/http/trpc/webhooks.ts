// Deliveries of webhooks for the console. Translates; decides nothing.
import { objectRef, sequence } from './inputs.ts';
import { procedure, router } from './trpc.ts';

export const webhooksRouter = router({
  /** Newest first, at most 100. */
  deliveries: procedure.input(objectRef).query(({ ctx, input }) => ctx.services.webhooks.deliveries(ctx.caller, input)),
  redeliver: procedure
    .input(objectRef.extend({ id: sequence }))
    .mutation(({ ctx, input: { id, ...webhook } }) => ctx.services.webhooks.redeliver(ctx.caller, webhook, id)),
});
