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
  ask: procedure.input(trialInput).mutation(async ({ ctx, input, signal }) => {
    const { authorizer, modelTrials } = ctx.services;
    const { namespace, name: endpoint } = input;
    // A spec that is not stored is judged as the write of it: it names Secrets of the namespace.
    if (input.spec && authorizer)
      await authorizer.require(ctx.caller.identity, { method: 'POST', resource: 'model-endpoints', namespace, name: endpoint });
    return modelTrials.ask(ctx.caller, input, signal ?? new AbortController().signal);
  }),
});
