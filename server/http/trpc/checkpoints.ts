// Checkpoints of Sessions: read, compared, gone back to, branched from. Translates; decides nothing.
import { z } from 'zod';
import { cursor, freeText, identifier, objectRef, pageSize, reference } from './inputs.ts';
import { procedure, router } from './trpc.ts';

/** The registry bounds names and prompts. */
const OVERRIDE_MAX_CHARS = 256 * 1024;
const checkpointRef = objectRef.extend({ id: identifier });
const override = z.record(freeText(253), freeText(OVERRIDE_MAX_CHARS)).optional();
const forkRequest = z.strictObject({
  name: freeText(300),
  resume: z.boolean().optional(),
  overrides: z.strictObject({ model: override, prompt: override }).optional(),
});

export const checkpointsRouter = router({
  /** Newest first. */
  list: procedure.input(objectRef).query(({ ctx, input }) => ctx.services.sessions.checkpoints(ctx.caller, input, {})),
  get: procedure.input(checkpointRef).query(({ ctx, input }) => ctx.services.sessions.checkpoint(ctx.caller, input)),
  replay: procedure
    .input(checkpointRef.extend({ after: cursor, limit: pageSize.optional() }))
    .query(({ ctx, input: { after, limit, ...ref } }) => ctx.services.sessions.replay(ctx.caller, ref, { after, limit })),
  /** `session`: that of the other checkpoint, by default the same one. */
  diff: procedure
    .input(checkpointRef.extend({ against: identifier, session: reference.optional() }))
    .query(({ ctx, input: { against, session, ...ref } }) => ctx.services.sessions.diff(ctx.caller, ref, { against, session })),
  rewind: procedure
    .input(checkpointRef.extend({ interrupt: z.boolean().optional(), resume: z.boolean().optional() }))
    .mutation(({ ctx, input: { interrupt, resume, ...ref } }) => ctx.services.sessions.rewind(ctx.caller, ref, { interrupt, resume })),
  fork: procedure
    .input(checkpointRef.extend({ fork: forkRequest }))
    .mutation(({ ctx, input: { fork, ...ref } }) => ctx.services.sessions.fork(ctx.caller, ref, fork)),
});
