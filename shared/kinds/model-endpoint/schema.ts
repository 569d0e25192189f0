// Shapes of ModelEndpoint: where a model is and how to speak to it. Source: SPEC "ModelEndpoint".
import { z } from 'zod';
import { commonStatus, flag, group, text, textMap } from '../fields.ts';

export const PROVIDERS = ['gateway-a', 'gateway-b', 'gateway-c', 'local-runtime', 'mock', 'gateway-a-compatible'] as const;

export const modelEndpointSpec = z.strictObject({
  provider: text('Who speaks at the other end. The vendors’ own names are accepted and stored in this neutral form.', {
    defaultText: 'gateway-a',
    values: PROVIDERS,
  }),
  base_url: text('Address of the API. Required by gateway-c; gateway-a-compatible cannot be called without it.', {
    defaultText: 'the provider’s standard address',
  }),
  default_model: text('Model to ask for.'),
  options: textMap('Provider options; keys are lower-cased, keys and values trimmed.'),
  auth: group('Credentials.', {
    secretRef: text('Secret with the API key. Required by gateway-a, gateway-b and gateway-c.', { format: 'ref:Secret' }),
  }),
  allowPrivate: flag('Permits loopback and private addresses for model traffic; metadata and link-local ones stay blocked.', {
    defaultText: 'false; true for local-runtime',
  }),
});

export const modelEndpointStatus = z.strictObject(commonStatus);

export type ModelEndpointSpec = z.infer<typeof modelEndpointSpec>;
export type ModelEndpointStatus = z.infer<typeof modelEndpointStatus>;
