import { expect, test } from 'vitest';
import { mergePatch } from '../json.ts';
import { kindByName } from './index.ts';
import { patchBase } from './patch-base.ts';

const context = { namespace: 'default', name: 'it' };

function patched(kind: string, stored: object, patch: object) {
  const definition = kindByName(kind)!;
  const normalize = (spec: unknown) => definition.normalize(definition.spec.parse(spec), context);
  return { fresh: normalize, spec: normalize(mergePatch(patchBase(definition, normalize(stored), context), patch)) };
}

const REMOTE_TOOL = { description: 'd', endpoint: 'https://tools.example/x' };

test.each([
  ['ModelEndpoint', { provider: 'gateway-a', auth: { secretRef: 'k' } }, { provider: 'gateway-b' }],
  ['ModelEndpoint', { provider: 'gateway-a', auth: { secretRef: 'k' } }, { provider: 'ollama' }],
  ['ModelEndpoint', { provider: 'local-runtime' }, { provider: 'gateway-a', auth: { secretRef: 'k' } }],
  ['ModelEndpoint', { provider: 'gateway-b', base_url: 'https://proxy.example' }, { provider: 'gateway-a' }],
  ['ModelEndpoint', { provider: 'gateway-a', auth: { secretRef: 'k' } }, { default_model: 'm' }],
  ['ModelEndpoint', { provider: 'gateway-a' }, { provider: 'gateway-b', base_url: 'https://api.openai.com/v1' }],
  ['Tool', { ...REMOTE_TOOL }, { risk_level: 'critical' }],
  ['Tool', { ...REMOTE_TOOL, risk_level: 'critical' }, { risk_level: 'low' }],
  ['Tool', { ...REMOTE_TOOL, operation_classes: ['delete'], runtime: { timeout: '5s' } }, { risk_level: 'high' }],
  ['Tool', { type: 'a2a', a2a: { agent_url: 'https://agents.example' } }, { type: 'http', a2a: null, endpoint: 'https://tools.example' }],
  ['Tool', { ...REMOTE_TOOL, auth: { secretRef: 'k' } }, { auth: { secretRef: null } }],
  ['McpServer', { transport: 'stdio', image: 'mcp:1' }, { image: null, command: 'mcp' }],
  ['McpServer', { transport: 'http', endpoint: 'https://m.example', auth: { profile: 'api_key_header' } }, { auth: { profile: 'bearer' } }],
  ['Task', { system: 's' }, { retry: { max_attempts: 3, backoff: '1s' } }],
  ['Task', { system: 's', retry: { max_attempts: 2 }, message_retry: { max_attempts: 5 } }, { retry: { max_attempts: 3 } }],
  ['Task', { system: 's' }, { retry: null, message_retry: null }],
  ['AgentRole', { permissions: ['a'] }, { permissions: null }],
])('a patch of %s %j by %j has the defaults of the patched spec', (kind, stored, patch) => {
  const { fresh, spec } = patched(kind, stored, patch);
  expect(spec).toEqual(fresh(mergePatch(stored, patch)));
});
