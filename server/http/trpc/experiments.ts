// Experiments for the console: results, ratings, cancel, estimates. Translates; decides nothing.
import { THUMBS } from '@svc/shared/api/experiments';
import { EXPERIMENT_RUNS_MAX, RATING_NOTE_MAX } from '@svc/shared/kinds/experiment/limits';
import { z } from 'zod';
import { RESULTS_MAX } from '../../experiments/experiment-service.ts';
import { freeText, jsonObject, namespace, objectRef } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const REASON_MAX = 500;

export const experimentsRouter = router({
  results: procedure
    .input(
      objectRef.extend({ after: z.int().min(0).max(EXPERIMENT_RUNS_MAX).optional(), limit: z.int().min(1).max(RESULTS_MAX).optional() }),
    )
    .query(({ ctx, input: { after = 0, limit = RESULTS_MAX, ...experiment } }) =>
      ctx.services.experiments.results(ctx.caller, experiment, { after, limit }),
    ),
  rate: procedure
    .input(
      objectRef.extend({
        run: z.int().min(1).max(EXPERIMENT_RUNS_MAX),
        thumb: z.enum(THUMBS).nullable(),
        note: freeText(RATING_NOTE_MAX).nullable(),
        version: z.int().min(0),
      }),
    )
    .mutation(({ ctx, input: { namespace: home, name, ...rating } }) =>
      ctx.services.experiments.rate(ctx.caller, { namespace: home, name }, rating),
    ),
  cancel: procedure
    .input(objectRef.extend({ reason: freeText(REASON_MAX).optional() }))
    .mutation(({ ctx, input: { reason, ...experiment } }) => ctx.services.experiments.cancel(ctx.caller, experiment, reason)),
  estimate: procedure
    .input(z.strictObject({ namespace, spec: jsonObject }))
    // A mutation: its input holds prompts, which belong in no address.
    .mutation(({ ctx, input }) => ctx.services.experiments.estimate(ctx.caller, input)),
});
