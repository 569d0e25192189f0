// Differences between the providers with chat completions: addresses and credential headers.
import type { ModelEndpointRef } from '../../engine/ports.ts';
import { joinUrl } from '../model-http.ts';
import { textOption } from '../options.ts';

export interface CompletionsWire {
  /** The provider's name. */
  readonly name: string;
  readonly secretRequired: boolean;
  /** The address of an operation, such as `/chat/completions`. Throws CallError. */
  url(endpoint: ModelEndpointRef, operation: string): string;
  credentials(endpoint: ModelEndpointRef, token: string): Readonly<Record<string, string>>;
  headers(endpoint: ModelEndpointRef): Readonly<Record<string, string>>;
}

/** Operations under `base_url` and a Bearer token. */
export function bearerWire({ name, secretRequired }: { name: string; secretRequired: boolean }): CompletionsWire {
  return {
    name,
    secretRequired,
    url: (endpoint, operation) => joinUrl(endpoint, { bare: '/v1', path: operation }),
    credentials: (_endpoint, token) => ({ authorization: `Bearer ${token}` }),
    headers(endpoint) {
      const organization = textOption(endpoint, 'organization');
      const project = textOption(endpoint, 'project');
      return { ...(organization && { 'openai-organization': organization }), ...(project && { 'openai-project': project }) };
    },
  };
}
