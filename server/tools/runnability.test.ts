import { expect, test } from 'vitest';
import { toolCall, toolCeilings, toolConfig } from '../testing/tool-deps.ts';
import type { BackendState } from './isolation/isolation-health.ts';
import { createToolCheck, runnability } from './runnability.ts';

const docker = (available: boolean): BackendState[] => [
  {
    backend: 'docker',
    modes: ['container', 'sandboxed'],
    available,
    ...(!available && { message: 'the container engine does not answer' }),
  },
];
const config = toolConfig({ isolationBackend: 'auto', allowPrivateEndpoints: false, allowPrivateAgents: false });
const problemOf = (spec: Record<string, unknown>, offer: Partial<Parameters<typeof runnability>[1]> = {}) =>
  runnability(toolCall(spec).tool, { config, backends: docker(true), ...offer });

const HTTPS = 'https://tools.example/x';
const HASH = `#sha256=${'a'.repeat(64)}`;
const cli = (more: object = {}) => ({ type: 'cli', cli: { command: 'x', image: 'busybox:1', ...more } });
const inContainer = (more: object = {}) => ({ ...cli(more), runtime: { isolation_mode: 'container' } });

test.each([
  [{ endpoint: HTTPS }],
  [{ type: 'external', endpoint: HTTPS, risk_level: 'high', runtime: { isolation_mode: 'none' } }],
  [{ type: 'grpc', endpoint: 'tools.example:50051' }],
  [{ type: 'queue', endpoint: 'nats://nats.example/tools.x' }],
  [{ type: 'a2a', risk_level: 'high', a2a: { agent_url: 'https://agent.example' } }],
  [{ type: 'mcp', risk_level: 'critical', mcp_server_ref: 'files', mcp_tool_name: 'write' }],
  [{ type: 'wasm', endpoint: `https://cdn.example/m.wasm${HASH}`, risk_level: 'critical' }],
  [cli()],
  [{ type: 'cli', cli: { command: 'x' }, runtime: { isolation_mode: 'none' } }],
  [{ type: 'external', cli: { image: 'tool:1' }, runtime: { isolation_mode: 'sandboxed' } }],
])('%j can run', (spec) => expect(problemOf(spec)).toBeUndefined());

test.each([
  ['an unknown type', { type: 'smtp' }, 'unsupported_tool', 'unsupported_type'],
  ['an agent without an address', { type: 'a2a' }, 'runtime_policy_invalid', 'invalid_tool'],
  ['a loopback agent', { type: 'a2a', a2a: { agent_url: 'http://127.0.0.1:9/' } }, 'egress_blocked', 'loopback'],
  ['no endpoint', { type: 'http' }, 'runtime_policy_invalid', 'invalid_tool'],
  ['a grpc endpoint without a port', { type: 'grpc', endpoint: 'tools.example' }, 'runtime_policy_invalid', 'invalid_tool'],
  ['high risk without an image', { endpoint: HTTPS, risk_level: 'high' }, 'isolation_unavailable', 'not_configured'],
  ['a command without an image', { type: 'cli', cli: { command: 'x' } }, 'runtime_policy_invalid', 'invalid_tool'],
  ['a mode of another type', { endpoint: HTTPS, runtime: { isolation_mode: 'wasm' } }, 'runtime_policy_invalid', 'isolation_mode'],
  [
    'an agent in a container',
    { type: 'a2a', a2a: { agent_url: HTTPS }, runtime: { isolation_mode: 'container' } },
    'runtime_policy_invalid',
    'invalid_tool',
  ],
  ['Kubernetes that is off', { ...cli(), runtime: { isolation_mode: 'kubernetes' } }, 'isolation_unavailable', 'not_configured'],
  ['a network above the ceiling', inContainer({ network: 'bridge' }), 'runtime_policy_invalid', 'network_not_allowed'],
  ['an image above the ceiling', inContainer({ image: 'localhost:5000/x' }), 'runtime_policy_invalid', 'image_not_allowed'],
  [
    'memory above the ceiling',
    { type: 'wasm', endpoint: `https://cdn.example/m.wasm${HASH}`, wasm: { memory_max_bytes: 2 ** 31 } },
    'runtime_policy_invalid',
    'wasm_memory_ceiling',
  ],
  ['a loopback endpoint', { endpoint: 'http://127.0.0.1:9/' }, 'egress_blocked', 'loopback'],
  ['a loopback endpoint in hex', { endpoint: 'http://0x7f.1/' }, 'egress_blocked', 'loopback'],
  ['the own machine by name', { type: 'external', endpoint: 'http://LOCALHOST:9/' }, 'egress_blocked', 'loopback'],
  ['a metadata endpoint', { endpoint: 'http://169.254.169.254/' }, 'egress_blocked', 'metadata'],
  ['a private grpc host', { type: 'grpc', endpoint: '10.0.0.7:50051' }, 'egress_blocked', 'private'],
  ['a private queue', { type: 'queue', endpoint: 'nats://[::1]/tools.x' }, 'egress_blocked', 'loopback'],
  [
    'a private token endpoint',
    { endpoint: HTTPS, auth: { profile: 'oauth2_client_credentials', secretRef: 's', tokenURL: 'http://10.0.0.1/t' } },
    'egress_blocked',
    'private',
  ],
  ['auth without a Secret', { endpoint: HTTPS, auth: { profile: 'bearer' } }, 'runtime_policy_invalid', 'invalid_tool'],
])('%s is known before a call', (_what, spec, code, reason) => {
  expect(problemOf(spec)).toMatchObject({ code, reason, retryable: false });
});

test('an unreachable engine is a temporary problem, and an unknown engine is no problem', () => {
  expect(problemOf(cli(), { backends: docker(false) })).toMatchObject({ code: 'isolation_unavailable', retryable: true });
  expect(problemOf(cli(), { backends: undefined })).toBeUndefined();
  expect(problemOf({ endpoint: HTTPS }, { backends: docker(false) })).toBeUndefined();
});

test('the options of the operator decide', () => {
  const image = toolConfig({ isolationBackend: 'auto', containerImage: 'tools:1' });
  expect(problemOf({ endpoint: HTTPS, risk_level: 'high' }, { config: image })).toBeUndefined();
  const never = toolConfig({ unisolatedCli: 'never' });
  expect(problemOf({ ...cli(), runtime: { isolation_mode: 'none' } }, { config: never })).toMatchObject({ reason: 'unisolated_cli' });
  const open = toolConfig({ isolationBackend: 'auto', ceilings: toolCeilings({ networks: ['none', 'tools'] }) });
  expect(problemOf(inContainer({ network: 'tools' }), { config: open })).toBeUndefined();
  expect(problemOf(cli(), { config: toolConfig({ isolationBackend: 'none' }) })).toMatchObject({ reason: 'not_configured' });
});

test.each([
  [{ endpoint: HTTPS, auth: { secretRef: 'gone' } }, 'spec.auth.secretRef'],
  [
    cli({
      env_from: [
        { name: 'A', secretRef: 'there' },
        { name: 'B', secretRef: 'gone' },
      ],
    }),
    'spec.cli.env_from[1]',
  ],
  [cli({ image_pull_secret: 'gone' }), 'spec.cli.image_pull_secret'],
])('a missing Secret of %j is named with its field', async (spec, field) => {
  const missingSecret = (ref: string) => Promise.resolve(ref === 'gone' ? 'Secret team/gone does not exist' : undefined);
  const check = createToolCheck({ config, backends: () => docker(true), missingSecret });
  const reader = { getObject: () => Promise.resolve(undefined), listObjects: () => Promise.resolve([]) };
  expect(await check(toolCall(spec).tool, reader)).toMatchObject({
    code: 'secret_resolution_failed',
    message: `Tool "team/search" ${field}: Secret team/gone does not exist`,
  });
});
