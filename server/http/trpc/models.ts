// Trials of models for the console. Translates; decides nothing.
import { freeText, jsonObject, name, objectRef } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const TEXT_MAX = 64 * 1024;
const KEY_MAX = 8 * 1024;

const trialInput = objectRef.extend({
  /** Spec of an endpoint that is not stored; absent: the stored one. */
  spec: jsonObject.optional(),
  apiKey: freeText(KEY_MAX).optional(),
  prompt: freeText(TEXT_MAX).optional(),
  message: freeText(TEXT_MAX).min(1),
  agent: name.optional(),
});

export const modelsRouter = router({
  /** One call of the model, outside of any run. A mutation: it costs money and holds a key. */
  ask: procedure
    .input(trialInput)
    .mutation(({ ctx, input, signal }) => ctx.services.modelTrials.ask(ctx.caller, input, signal ?? new AbortController().signal)),
});
