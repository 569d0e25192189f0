// Conversations: turns, events and control of Sessions. Translates; decides nothing.
import { tracked } from '@trpc/server';
import { z } from 'zod';
import { cursor, freeText, objectRef, pageSize, sequence } from './inputs.ts';
import { procedure, router } from './trpc.ts';

/** The service bounds the content in bytes. */
const CONTENT_MAX_CHARS = 256 * 1024;
const page = objectRef.extend({ after: cursor, limit: pageSize.optional() });

export const sessionsRouter = router({
  /** In the order of submission. */
  turns: procedure
    .input(page)
    .query(({ ctx, input: { after, limit, ...ref } }) => ctx.services.sessions.turns(ctx.caller, ref, { after, limit })),
  events: procedure
    .input(page)
    .query(({ ctx, input: { after, limit, ...ref } }) => ctx.services.sessions.events(ctx.caller, ref, { after, limit })),
  /** Events after the last id seen, the stored ones first, then each as it comes. */
  follow: procedure.input(objectRef.extend({ lastEventId: sequence.optional() })).subscription(async function* ({
    ctx,
    input: { lastEventId, ...ref },
    signal,
  }) {
    const options = {
      after: Number(lastEventId ?? 0),
      signal: signal ?? new AbortController().signal,
      ...(ctx.streams && { takeTurn: ctx.streams.takeTurn }),
    };
    for await (const { items: events } of await ctx.services.sessions.follow(ctx.caller, ref, options)) {
      const last = events.at(-1);
      if (last) yield tracked(String(last.seq), { events });
    }
  }),
  /** The same key again answers with the turn it made. */
  submit: procedure
    .input(objectRef.extend({ content: freeText(CONTENT_MAX_CHARS), interrupt: z.boolean().optional(), idempotencyKey: freeText(255) }))
    .mutation(({ ctx, input: { content, interrupt = false, idempotencyKey, ...ref } }) =>
      ctx.services.sessions.submit(ctx.caller, ref, { content, interrupt, idempotencyKey }),
    ),
  control: procedure
    .input(objectRef.extend({ control: z.enum(['pause', 'resume', 'cancel', 'complete']), reason: freeText(1000).optional() }))
    .mutation(({ ctx, input: { control, reason, ...ref } }) => ctx.services.sessions.control(ctx.caller, ref, { control, reason })),
});
