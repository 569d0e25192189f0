// Procedures of terminals: which are open, tickets for their sockets, an end. Translates; decides nothing.
import { z } from 'zod';
import type { TrpcContext } from './context.ts';
import { identifier, namespace } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const callerOf = ({ caller, signInId }: Pick<TrpcContext, 'caller'> & { signInId?: string | undefined }) => ({ context: caller, signInId });

export const terminalsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.terminals.list(callerOf(ctx))),
  /** With an id for a terminal that is open; without one for a new terminal. */
  ticket: procedure
    .input(z.strictObject({ id: identifier.optional(), namespace }))
    .mutation(({ ctx, input }) => ctx.services.terminals.ticket(callerOf(ctx), input)),
  close: procedure.input(z.strictObject({ id: identifier })).mutation(({ ctx, input }) => {
    ctx.services.terminals.close(callerOf(ctx), input.id);
  }),
});
