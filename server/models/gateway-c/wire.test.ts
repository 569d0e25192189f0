// Cases only for deployments; conformance.test.ts has those shared with other providers.
import { expect, test } from 'vitest';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';

import { json } from '../../testing/loopback-server.ts';
import { ask, failure, startModelServer } from '../../testing/model-calls.ts';
import { MODEL_TOKEN } from '../../testing/model-dialects.ts';

const ANSWER = json({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] });

const spec = (base_url: string, more: Partial<ModelEndpointSpec> = {}): ModelEndpointSpec => ({
  provider: 'gateway-c',
  base_url,
  default_model: 'my model/1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
  ...more,
});

test.each([
  ['', {}, '/openai/deployments/my%20model%2F1/chat/completions?api-version=2024-10-21'],
  ['/', { 'api-version': '2025-01-01-preview' }, '/openai/deployments/my%20model%2F1/chat/completions?api-version=2025-01-01-preview'],
  ['/openai', {}, '/openai/deployments/my%20model%2F1/chat/completions?api-version=2024-10-21'],
  ['/apim/openai/', {}, '/apim/openai/deployments/my%20model%2F1/chat/completions?api-version=2024-10-21'],
  ['/apim?team=a&api-version=old', {}, '/apim/openai/deployments/my%20model%2F1/chat/completions?team=a&api-version=2024-10-21'],
])('a base_url with the path %j and the options %j is called at %s', async (path, options, expected) => {
  const { server, port } = await startModelServer(ANSWER);
  await ask(port, { spec: spec(`${server.url}${path}`, { options }) });
  expect(server.seen[0]?.path).toBe(expected);
});

test.each([
  [{}, { 'api-key': MODEL_TOKEN }],
  [{ auth_type: 'api-key' }, { 'api-key': MODEL_TOKEN }],
  [{ auth_type: 'bearer' }, { authorization: `Bearer ${MODEL_TOKEN}` }],
])('with the options %j the token travels as %j', async (options, expected) => {
  const { server, port } = await startModelServer(ANSWER);
  await ask(port, { spec: spec(server.url, { options }) });
  const { 'api-key': key, authorization } = server.seen[0]?.headers ?? {};
  expect({ ...(key !== undefined && { 'api-key': key }), ...(authorization !== undefined && { authorization }) }).toEqual(expected);
});

test.each([
  ['another way to authenticate', { options: { auth_type: 'magic' } }, 'runtime_policy_invalid'],
  ['no Secret', { auth: {} }, 'secret_resolution_failed'],
])('%s fails before anything is sent', async (_, more, code) => {
  const { server, port } = await startModelServer(ANSWER);
  expect((await failure(ask(port, { spec: spec(server.url, more) }))).code).toBe(code);
  expect(server.seen).toEqual([]);
});
