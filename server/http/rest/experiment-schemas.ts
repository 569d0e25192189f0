// JSON Schemas of bodies about experiments.
import { THUMBS } from '@svc/shared/api/experiments';
import { RATING_NOTE_MAX } from '@svc/shared/kinds/experiment/limits';
import type { JsonSchema } from '../route.ts';
import { arrayOf, integer, object, string, time } from './schema-parts.ts';

const nullable = (type: string, description: string): JsonSchema => ({ type: [type, 'null'], description });
const thumb: JsonSchema = { type: ['string', 'null'], enum: [...THUMBS, null] };
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const experimentSchemas: Readonly<Record<string, JsonSchema>> = {
  ExperimentRating: object({
    thumb,
    note: nullable('string', 'Text of the last rating.'),
    by: { ...string, description: 'Identity of the last rating.' },
    at: time,
    version: { ...integer, description: '1 for the first rating, one more with each change.' },
  }),
  ExperimentRatingRequest: {
    ...object(
      {
        thumb,
        note: { type: ['string', 'null'], maxLength: RATING_NOTE_MAX },
        version: { type: 'integer', minimum: 0, description: 'Version of the rating that is replaced; 0 without a rating.' },
      },
      ['version'],
    ),
    additionalProperties: false,
  },
  ExperimentResult: object({
    run: { ...integer, description: 'Number of the run in the experiment, from 1.' },
    case: string,
    variant: string,
    repeat: { ...integer, description: 'From 1.' },
    task: nullable('string', 'Name of the Task in the namespace of the experiment; null for one that was refused.'),
    outcome: {
      ...string,
      description: 'Phase of a run that has not ended; else Succeeded, Failed, DeadLetter, Cancelled, Denied or Deleted.',
    },
    output: nullable('string', 'Beginning of the output.'),
    output_chars: { ...integer, description: 'Characters of the whole output.' },
    error: nullable('string', 'Why it failed.'),
    tokens: nullable('integer', 'Tokens of its model calls.'),
    cost_usd: nullable('number', 'Known cost in US dollars.'),
    unpriced_calls: nullable('integer', 'Model calls whose price is not known.'),
    active_ms: nullable('number', 'Milliseconds without the time in which it waited only for people.'),
    completed_at: { ...nullable('string', 'When it ended.'), format: 'date-time' },
    rating: { oneOf: [ref('ExperimentRating'), { type: 'null' }] },
  }),
  ExperimentResultPage: object(
    { items: arrayOf(ref('ExperimentResult')), continue: { ...string, description: 'Present where further runs have begun.' } },
    ['items'],
  ),
  ExperimentDraft: {
    ...object({ spec: { type: 'object', additionalProperties: true, description: 'Spec of an Experiment.' } }),
    additionalProperties: true,
  },
  ExperimentEstimate: object({
    runs: integer,
    based_on: { ...integer, description: 'Ended runs of the system that the metrics come from, trials included.' },
    tokens: nullable('integer', 'Expected tokens of all runs; null when unknown.'),
    cost_usd: nullable('number', 'Expected cost in US dollars; null when the cost of any call is unknown.'),
    problems: arrayOf(object({ path: string, message: string })),
  }),
};
