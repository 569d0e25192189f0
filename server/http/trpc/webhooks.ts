// Deliveries of webhooks for the console. Translates; decides nothing.
import { freeText, objectRef, sequence } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const TEST_BODY_MAX_CHARS = 256 * 1024;
/** The service has a lower bound. */
const EVENT_ID_MAX_CHARS = 1_000;

export const webhooksRouter = router({
  /** Newest first, at most 100. */
  deliveries: procedure.input(objectRef).query(({ ctx, input }) => ctx.services.webhooks.deliveries(ctx.caller, input)),
  /** Signed by the server: the secret never reaches the browser. */
  test: procedure
    .input(objectRef.extend({ body: freeText(TEST_BODY_MAX_CHARS), eventId: freeText(EVENT_ID_MAX_CHARS) }))
    .mutation(({ ctx, input: { body, eventId, ...webhook } }) => ctx.services.webhooks.test(ctx.caller, webhook, { body, eventId })),
  redeliver: procedure
    .input(objectRef.extend({ id: sequence }))
    .mutation(({ ctx, input: { id, ...webhook } }) => ctx.services.webhooks.redeliver(ctx.caller, webhook, id)),
});
