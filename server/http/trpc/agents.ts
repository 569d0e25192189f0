// Messages to agents over A2A for the console. Translates; decides nothing.
import { sendAsPerson } from '../../a2a/rpc/send-as-person.ts';
import { freeText, identifier, objectRef } from './inputs.ts';
import { procedure, router } from './trpc.ts';

/** The service bounds the text in bytes. */
const TEXT_MAX_CHARS = 256 * 1024;

export const agentsRouter = router({
  /** Answers once the run has ended or waits for somebody; as the task stands when the server stops. */
  send: procedure
    .input(objectRef.extend({ text: freeText(TEXT_MAX_CHARS).min(1), messageId: identifier }))
    .mutation(({ ctx: { services, caller, whileOpen }, input }) =>
      whileOpen((signal) => sendAsPerson({ ...services.a2a, authorizer: services.authorizer }, caller, { message: input, signal })),
    ),
});
