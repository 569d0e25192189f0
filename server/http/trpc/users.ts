// Procedures about users and browser sign-ins. Translates; decides nothing. What counts attempts on passwords goes over REST.
import { z } from 'zod';
import { signInIdentifier, userName } from '../text-types.ts';
import { cursor, identifier, text } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const username = text(userName);
const PAGE = 500;

export const usersRouter = router({
  list: procedure
    .input(z.strictObject({ after: cursor }))
    .query(({ ctx, input }) => ctx.services.auth.users.list(ctx.caller, { ...input, limit: PAGE })),
  /** The password is in the answer this once. */
  create: procedure
    .input(z.strictObject({ username, role: identifier }))
    .mutation(({ ctx, input }) => ctx.services.auth.users.create(ctx.caller, input)),
  setRole: procedure
    .input(z.strictObject({ username, role: identifier }))
    .mutation(({ ctx, input: { username: name, role } }) => ctx.services.auth.users.setRole(ctx.caller, name, { role })),
  remove: procedure
    .input(z.strictObject({ username }))
    .mutation(({ ctx, input }) => ctx.services.auth.users.remove(ctx.caller, input.username)),
});

export const signInsRouter = router({
  list: procedure
    .input(z.strictObject({ username: username.optional(), after: cursor }))
    .query(({ ctx, input: { username: name, after } }) =>
      ctx.services.auth.listSignIns(ctx.caller, { name, after, limit: PAGE, ownId: ctx.signInId }),
    ),
  end: procedure
    .input(z.strictObject({ id: text(signInIdentifier) }))
    .mutation(({ ctx, input }) => ctx.services.auth.endSignIn(ctx.caller, input.id)),
});
