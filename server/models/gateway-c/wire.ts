// Provider `gateway-c`: chat completions of a cloud, where each model is a deployment with an address of its own.
import { trimEnd } from '@svc/shared/trim-end';
import type { ModelEndpointRef } from '../../engine/ports.ts';
import type { CompletionsWire } from '../gateway-a/wire.ts';
import { baseUrl, modelName } from '../model-http.ts';
import { textOption, wrongOption } from '../options.ts';

/** The newest version of the interface that is generally available. */
const API_VERSION_DEFAULT = '2024-10-21';

export const deploymentWire: CompletionsWire = {
  name: 'gateway-c',
  secretRequired: true,
  url: deploymentUrl,
  credentials(endpoint, token) {
    const type = textOption(endpoint, 'auth_type') ?? 'api-key';
    if (type === 'api-key') return { 'api-key': token };
    return type === 'bearer' ? { authorization: `Bearer ${token}` } : wrongOption(endpoint, 'auth_type', 'must be api-key or bearer');
  },
  headers: () => ({}),
};

/** A base_url that already ends in `/openai` is taken as it is. */
function deploymentUrl(endpoint: ModelEndpointRef, operation: string): string {
  const url = baseUrl(endpoint);
  const base = trimEnd(url.pathname, '/').replace(/\/openai$/, '');
  url.pathname = `${base}/openai/deployments/${encodeURIComponent(modelName(endpoint))}${operation}`;
  url.searchParams.set('api-version', textOption(endpoint, 'api-version') ?? API_VERSION_DEFAULT);
  return url.href;
}
