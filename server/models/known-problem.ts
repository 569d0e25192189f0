// Problem that fails every call of a ModelEndpoint, found before a call. Pure.
import { providerFacts } from '@svc/shared/kinds/model-endpoint/providers';
import { knownBlocked } from '../egress/known-address.ts';
import { connectionError } from '../egress/transport-errors.ts';
import type { CallError, ModelEndpointRef } from '../engine/ports.ts';
import { scriptProblem } from './mock/mock.ts';
import { missingModel, privateRule } from './model-http.ts';

/** `allowPrivate` is the operator's ceiling. Undefined when no problem is known. */
export function knownModelProblem(endpoint: ModelEndpointRef, allowPrivate: boolean): CallError | undefined {
  const { provider, default_model: model, base_url: url = '' } = endpoint.spec;
  if (provider === 'mock') return scriptProblem(endpoint);
  // A provider of an embedder may need none.
  if (!model && providerFacts(provider)) return missingModel(endpoint);
  if (!URL.canParse(url)) return undefined;
  const rule = privateRule(endpoint, allowPrivate);
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const blocked = knownBlocked(host, rule.allowPrivate);
  return blocked && connectionError(blocked, { target: host, permittedBy: rule.permittedBy });
}
