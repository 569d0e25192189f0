// svcctl against a server under a path prefix, which the address of the server names.
import { expect, it } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { server, svcctl } = await startCliServer({ SVC_BASE_PATH: '/tools/svc' });
const under = (argv: readonly string[], stdin = '') => svcctl(['--server', `${server.url}/tools/svc/`, ...argv], { stdin });

it('objects, runs with their streams, and webhooks work below the prefix', async () => {
  const documents = [
    { kind: 'Agent', metadata: { name: 'a' }, spec: { model_ref: 'mock', prompt: 'Answer.' } },
    { kind: 'AgentSystem', metadata: { name: 'a' }, spec: { agents: ['a'] } },
    { kind: 'ModelEndpoint', metadata: { name: 'mock' }, spec: { provider: 'mock' } },
    { kind: 'Task', metadata: { name: 'template' }, spec: { system: 'a', mode: 'template' } },
    { kind: 'Secret', metadata: { name: 'hook' }, spec: { stringData: { value: 'topsecret' } } },
    { kind: 'TaskWebhook', metadata: { name: 'hook' }, spec: { task_ref: 'template', auth: { secret_ref: 'hook' } } },
  ].map((each) => JSON.stringify({ apiVersion: 'svc.dev/v1', ...each }));
  expect(await under(['apply', '-f', '-'], documents.join('\n---\n'))).toMatchObject({ code: 0 });
  expect(await under(['run', 'a'])).toMatchObject({ code: 0, out: expect.stringContaining('a received') });
  const sent = await under(['webhook', 'send', 'hook', '--secret-file', '-', '--event-id', 'e1', '--data', '{}'], 'topsecret');
  expect(sent).toMatchObject({ code: 0, out: expect.stringMatching(/^accepted: event e1/) });
});

it('a prefix that the server does not have is an error that names the address', async () => {
  const wrong = await svcctl(['--server', `${server.url}/other`, 'get', 'agents']);
  expect(wrong).toMatchObject({ code: expect.any(Number), out: '' });
  expect(wrong.code).not.toBe(0);
  expect(wrong.err).toContain('/other');
});
