// Procedures of provider keys in the environment: their names, and the use of one. Translates; decides nothing.
import { z } from 'zod';
import { identifier, namespace, word } from './inputs.ts';
import { procedure, router } from './trpc.ts';

export const environmentKeysRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.environmentKeys.list(ctx.caller)),
  /** A mutation: it reads the value and stores it as a Secret. The value is in no answer. */
  accept: procedure
    .input(z.strictObject({ variable: identifier, namespace, model: word.optional() }))
    .mutation(({ ctx, input }) => ctx.services.environmentKeys.accept(ctx.caller, input)),
});
