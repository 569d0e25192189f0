// A tool that cannot run is named by every surface before a person is asked: write warnings, the authorization check, explain, the run itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRunWorld, type RunWorld } from '../../server/testing/run-world.ts';

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--tool-isolation-backend', 'none']);
}, 60_000);
afterAll(() => world?.close());

const applied = async (kind: string, spec: object, query = '') => {
  const body = JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name: 'probe' }, spec });
  const response = await fetch(`${world.url()}/v1/apply${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, warning: response.headers.get('warning') ?? '' };
};

test.each([
  ['Tool', { endpoint: 'https://x.example', risk_level: 'high' }, 'nothing says in which image'],
  ['Tool', {}, 'spec.endpoint is missing'],
  ['Tool', { type: 'a2a', a2a: { agent_url: 'http://127.0.0.1:9' } }, '--a2a-allow-private-endpoints'],
  ['Tool', { endpoint: 'http://127.0.0.1:9/' }, '--allow-private-tool-endpoints'],
  ['Tool', { endpoint: 'https://x.example', auth: { secretRef: 'gone' } }, 'Secret default/gone does not exist'],
  ['Tool', { type: 'cli', cli: { command: 'x', image: 'localhost:5000/x' } }, '--allowed-images'],
  [
    'Tool',
    { type: 'cli', cli: { command: 'x', image: 'busybox:1', network: 'bridge' }, runtime: { isolation_mode: 'container' } },
    '--allowed-container-networks',
  ],
  ['Tool', { type: 'cli', cli: { command: 'x', image: 'busybox:1' } }, '--tool-isolation-backend none'],
  ['ModelEndpoint', { provider: 'gateway-a-compatible', base_url: 'http://127.0.0.1:1/v1', default_model: 'm' }, 'allowPrivate'],
  ['AgentSystem', { agents: ['a'], graph: { a: { next: 'b' } } }, 'leads to \\"b\\", which is not in spec.agents'],
])('apply and its dry run accept %s %j with a warning', async (kind, spec, words) => {
  for (const query of ['?dryRun=true', '']) {
    const { status, warning } = await applied(kind, spec, query);
    expect([status, warning]).toEqual([200, expect.stringContaining(words)]);
  }
});

test('applies runnable tools without a warning', async () => {
  for (const [kind, spec] of [
    ['Tool', { endpoint: 'https://x.example' }],
    ['Tool', { type: 'wasm', endpoint: `https://x.example/m.wasm#sha256=${'a'.repeat(64)}`, risk_level: 'critical' }],
    ['ModelEndpoint', { provider: 'local-runtime', default_model: 'm' }],
    ['AgentSystem', { agents: ['a', 'b'], graph: { a: { next: 'b' } } }],
  ] as const)
    expect(await applied(kind, spec, '?dryRun=true')).toEqual({ status: 200, warning: '' });
});

test('a call that needs approval and cannot run fails without an approval, as the authorization check reports', async () => {
  await world.put('Tool', 'refund', { endpoint: 'https://bank.example/refund', risk_level: 'high' });
  await world.put('ToolPermission', 'careful', {
    tool_ref: 'refund',
    operation_rules: [{ operation_class: '*', verdict: 'approval_required' }],
  });
  await world.model('m-refund', [['refund', { euros: 5 }, 'c1']], 'not paid');
  await world.system('s-refund', { 'a-refund': { model_ref: 'm-refund', tools: ['refund'] } });
  const { body } = await world.request('POST', '/v1/authorize/check', { agent: 'a-refund', tool: 'refund' });
  expect(body).toMatchObject({ verdict: 'deny', code: 'isolation_unavailable', reason: 'not_configured' });
  const task = await world.run('refund-1', { system: 's-refund' });
  expect(task.status.trace.find(({ type }) => type === 'tool_error')).toMatchObject({
    error_code: 'isolation_unavailable',
    message: expect.stringContaining('nothing says in which image'),
  });
  expect((await world.request('GET', '/v1/tool-approvals')).body).toEqual([]);
});

test('explain names a tool of the run that cannot be called', async () => {
  await world.put('Tool', 'silent', { endpoint: 'https://x.example', auth: { secretRef: 'gone' } });
  await world.put('ModelEndpoint', 'm-hang', {
    provider: 'mock',
    default_model: 'm',
    options: { delay: '30s' },
  });
  await world.system('s-hang', { 'a-hang': { model_ref: 'm-hang', tools: ['silent'] } });
  await world.put('Task', 'hang-1', { system: 's-hang' });
  const reasons = async () => ((await world.request('GET', '/v1/tasks/hang-1/explain')).body as any).reasons;
  await expect.poll(reasons).toContainEqual({
    code: 'secret_resolution_failed',
    message: expect.stringContaining('Secret default/gone does not exist'),
    object: { kind: 'Tool', namespace: 'default', name: 'silent' },
  });
  await world.request('POST', '/v1/tasks/hang-1/cancel', {});
});
