// Procedures about the server itself: the caller's identity, capabilities, past events, tokens. Translates; decides nothing.
import { defined } from '@svc/shared/json';
import { z } from 'zod';
import { timestamp } from '../../clock.ts';
import { identifier, kind, name, namespace, reference, uid, word } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const eventsInput = z.strictObject({
  namespace: namespace.optional(),
  kind: kind.optional(),
  name: word.optional(),
  uid: uid.optional(),
  type: word.optional(),
  heartbeats: z.boolean().optional(),
  order: z.enum(['createdAt', '-createdAt']).optional(),
  after: z.int().min(0).optional(),
  limit: z.int().min(1).max(1000),
});

export const serverRouter = router({
  /**
   * Read once at the start and at every reconnect. `time` is for the offset between the two clocks. `position` is where a stream of changes starts that
   * misses none since this answer; absent when the store does not answer.
   */
  hello: procedure.query(async ({ ctx: { services, caller } }) => ({
    position: await services.watches.position(caller).then(String, () => undefined),
    version: services.version,
    build: services.build,
    time: timestamp(services.clock.now()),
    authEnabled: services.auth.enabled(),
    identity: { method: caller.identity.method, name: caller.identity.name, role: caller.identity.role },
  })),
  namespaces: procedure.query(({ ctx }) => ctx.services.registry.listNamespaces(ctx.caller)),
  capabilities: procedure.query(({ ctx }) => ctx.services.capabilities()),
  /** For sealing in the browser. */
  sealingKey: procedure.query(({ ctx }) => ctx.services.sealing.publicKey()),
  events: procedure.input(eventsInput).query(({ ctx, input }) => ctx.services.watches.listEvents(ctx.caller, defined(input))),
});

export const tokensRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.auth.listTokens(ctx.caller)),
  /** The token is in the answer this once. */
  create: procedure
    .input(z.strictObject({ name, role: identifier, a2a_agent_systems: z.array(reference).max(1000).optional() }))
    .mutation(({ ctx, input }) => ctx.services.auth.createToken(ctx.caller, input)),
  remove: procedure.input(z.strictObject({ name })).mutation(({ ctx, input }) => ctx.services.auth.deleteToken(ctx.caller, input.name)),
});
