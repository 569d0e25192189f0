// Experiments beyond their objects: results, ratings, cancel, estimates. Translates; the experiment service decides.
import { THUMBS, type Thumb } from '@svc/shared/api/experiments';
import { invalidFields } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { EXPERIMENT_RUNS_MAX } from '@svc/shared/kinds/experiment/limits';
import { RESULTS_DEFAULT, RESULTS_MAX, type ExperimentService, type RatingRequest } from '../../experiments/experiment-service.ts';
import { json, SMALL_BODY_MAX_BYTES, type Route } from '../route.ts';
import { integer, namespaceParameter, objectOf } from './parameters.ts';
import { readFields, type Fields } from './request-fields.ts';
import { ref } from './schemas.ts';

const TAG = 'Experiment';
const LIMIT = { min: 1, max: RESULTS_MAX };
const AFTER = { min: 0, max: EXPERIMENT_RUNS_MAX };

export function experimentRoutes(experiments: ExperimentService): Route[] {
  return [resultsRoute(experiments), ratingRoute(experiments), cancelRoute(experiments), estimateRoute(experiments)];
}

function resultsRoute(experiments: ExperimentService): Route {
  return {
    method: 'GET',
    path: '/v1/experiments/{name}/results',
    access: 'reader',
    tag: TAG,
    operationId: 'listExperimentResults',
    summary: 'List the results of an experiment',
    description:
      'One for each run that has begun, in the order of the runs: variants next to each other, then cases, then repeats. Outputs are cut; the Task has the whole one. A page with long texts ends before `limit` results.',
    query: [
      namespaceParameter,
      integer('limit', 'Results of a page.', { ...LIMIT, default: RESULTS_DEFAULT }),
      integer('after', 'Number of the run before the page: the `continue` of the one before.', { ...AFTER, default: 0 }),
    ],
    responses: { 200: { description: 'The results.', schema: ref('ExperimentResultPage') } },
    async handle(call) {
      const page = { after: call.query.integer('after', AFTER) ?? 0, limit: call.query.integer('limit', LIMIT) ?? RESULTS_DEFAULT };
      return json(await experiments.results(call.context, objectOf(call), page));
    },
  };
}

function ratingRoute(experiments: ExperimentService): Route {
  return {
    method: 'PUT',
    path: '/v1/experiments/{name}/results/{run}/rating',
    access: 'approver',
    tag: TAG,
    operationId: 'rateExperimentResult',
    summary: 'Rate a result of an experiment',
    description: 'Replaces thumb and note. 409 when `version` is not that of the stored rating: another user has rated meanwhile.',
    query: [namespaceParameter],
    body: {
      description: 'The rating.',
      schema: ref('ExperimentRatingRequest'),
      contentTypes: ['application/json'],
      maxBytes: SMALL_BODY_MAX_BYTES,
    },
    responses: { 200: { description: 'The stored rating.', schema: ref('ExperimentRating') } },
    errors: ['conflict'],
    async handle(call) {
      return json(await experiments.rate(call.context, objectOf(call), readRating(Number(call.params['run']), await readFields(call))));
    },
  };
}

function readRating(run: number, body: Fields): RatingRequest {
  const { thumb = null, note = null, version } = body;
  const errors = [
    ...(thumb === null || THUMBS.some((known) => known === thumb) ? [] : [{ path: 'thumb', message: 'must be up, down or null' }]),
    ...(note === null || typeof note === 'string' ? [] : [{ path: 'note', message: 'must be a string or null' }]),
    ...(Number.isSafeInteger(version) && Number(version) >= 0
      ? []
      : [{ path: 'version', message: 'must be the version of the rating that is replaced, 0 without a rating' }]),
  ];
  if (errors.length > 0) throw invalidFields('the rating', errors);
  return { run, thumb: thumb as Thumb | null, note: note as string | null, version: Number(version) };
}

function cancelRoute(experiments: ExperimentService): Route {
  return {
    method: 'POST',
    path: '/v1/experiments/{name}/cancel',
    access: 'writer',
    tag: TAG,
    operationId: 'cancelExperiment',
    summary: 'Cancel an experiment',
    description: 'No further run begins and those that run are cancelled. Results are kept. 409 when it has ended.',
    query: [namespaceParameter],
    body: {
      description: 'Why.',
      schema: ref('CancelRequest'),
      optional: true,
      maxBytes: SMALL_BODY_MAX_BYTES,
    },
    responses: { 200: { description: 'The Experiment.', schema: ref('Experiment') } },
    errors: ['conflict'],
    async handle(call) {
      const { reason } = await readFields<{ readonly reason: string }>(call);
      return json(await experiments.cancel(call.context, objectOf(call), reason));
    },
  };
}

function estimateRoute(experiments: ExperimentService): Route {
  return {
    method: 'POST',
    path: '/v1/experiment-estimates',
    access: 'reader',
    tag: TAG,
    operationId: 'estimateExperiment',
    summary: 'Estimate an experiment before it is created',
    description:
      'The number of its runs, tokens and cost by the newest runs of its system, and reasons why variants cannot run. Creates nothing.',
    query: [namespaceParameter],
    body: { description: 'The manifest; only its spec is read.', schema: ref('ExperimentDraft') },
    responses: { 200: { description: 'The estimate.', schema: ref('ExperimentEstimate') } },
    async handle(call) {
      const body = await call.readDocument();
      const spec = isObject(body) ? body['spec'] : undefined;
      return json(await experiments.estimate(call.context, { namespace: call.query.namespace(), spec }));
    },
  };
}
