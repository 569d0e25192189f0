// Problem that fails every call of a ModelEndpoint, found before a call. Pure.
import { knownBlocked } from '../egress/known-address.ts';
import { connectionError } from '../egress/transport-errors.ts';
import type { CallError, ModelEndpointRef } from '../engine/ports.ts';
import { privateRule } from './model-http.ts';

/** `allowPrivate` is the operator's ceiling. Undefined when no problem is known. */
export function knownModelProblem(endpoint: ModelEndpointRef, allowPrivate: boolean): CallError | undefined {
  const { base_url: url = '' } = endpoint.spec;
  if (!URL.canParse(url)) return undefined;
  const rule = privateRule(endpoint, allowPrivate);
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const blocked = knownBlocked(host, rule.allowPrivate);
  return blocked && connectionError(blocked, { target: host, permittedBy: rule.permittedBy });
}
