// Shapes of ModelEndpoint: address, protocol and credentials of a model.
import { z } from 'zod';
import { commonStatus, flag, group, text, textMap } from '../fields.ts';
import { PROVIDER_DEFAULT, PROVIDERS } from './providers.ts';

const OPTIONS = [
  'Provider options; keys are lower-cased, keys and values trimmed.',
  'All: timeout, price_input_per_million, price_output_per_million, price_cached_input_per_million, price_cache_write_per_million (US dollars).',
  'All over HTTP: stream, temperature, top_p, max_tokens, stop.',
  'gateway-a, gateway-a-compatible, gateway-c: max_completion_tokens, seed, presence_penalty, frequency_penalty, reasoning_effort, tool_choice, parallel_tool_calls, response_format, user, service_tier, stream_usage, extra_body, dimensions (embeddings).',
  'gateway-a, gateway-a-compatible: organization, project.',
  'gateway-b: top_k, tool_choice, parallel_tool_calls, user, service_tier, version, beta, extra_body.',
  'gateway-c: api-version, auth_type (api-key or bearer).',
  'local-runtime: num_ctx, keep_alive, num_predict, top_k, seed, repeat_penalty, format, think.',
  'mock: script, agent.<name>, delay.',
].join(' ');

export const modelEndpointSpec = z.strictObject({
  provider: text('Provider of the model. The vendors’ own names are accepted and stored in this neutral form.', {
    defaultText: PROVIDER_DEFAULT,
    values: PROVIDERS,
  }),
  base_url: text('Address of the API. Required by gateway-c; gateway-a-compatible cannot be called without it.', {
    defaultText: 'the provider’s standard address',
  }),
  default_model: text('Model to ask for; of gateway-c the name of the deployment.'),
  options: textMap(OPTIONS),
  auth: group('Credentials.', {
    secretRef: text('Secret with the API key. Required by gateway-a, gateway-b and gateway-c.', { format: 'ref:Secret' }),
  }),
  allowPrivate: flag('Permits loopback and private addresses for model traffic; metadata and link-local ones stay blocked.', {
    defaultText: 'false; true for local-runtime',
  }),
});

export const modelEndpointStatus = z.strictObject(commonStatus);

export type WrittenModelEndpointSpec = z.infer<typeof modelEndpointSpec>;
