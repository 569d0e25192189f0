// `extra_body`: what an operator lays over a request for which there is no option. It may not change what was decided before the request was made.
import type { JsonObject } from '@svc/shared/json';
import type { ModelEndpointRef } from '../engine/ports.ts';
import { objectOption, wrongOption } from './options.ts';

/** The model is the one that policies judged, even where a provider takes a list to fall back on; the rest is what the answer is read by. */
const FIXED = ['model', 'models', 'messages', 'stream'];

export function extraBody(endpoint: ModelEndpointRef): JsonObject {
  const body = objectOption(endpoint, 'extra_body') ?? {};
  const fixed = FIXED.filter((key) => Object.hasOwn(body, key));
  if (fixed.length === 0) return body;
  return wrongOption(endpoint, 'extra_body', `must not set ${fixed.join(', ')}; the model is named by spec.default_model`);
}
