// svcctl worker against a real server with a worker.
import { expect, it, vi } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { svcctl } = await startCliServer({ SVC_WORKER_ID: 'rack-7' });

const TIMEOUT_MS = 20_000;

async function run(name: string): Promise<void> {
  const object = (kind: string, named: string, spec: object) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name: named }, spec });
  const script = JSON.stringify([{ text: 'Done.', repeat: true }]);
  const manifests = [
    object('ModelEndpoint', 'echo', { provider: 'mock', options: { script } }),
    object('Agent', 'clerk', { model_ref: 'echo', prompt: 'Work.' }),
    object('AgentSystem', 'office', { agents: ['clerk'] }),
    object('Task', name, { system: 'office' }),
  ];
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

it('worker suspend drains a worker and worker resume lets it claim again', async () => {
  const suspended = await svcctl(['worker', 'suspend', 'rack-7', '--reason', 'new disk', '-n', 'team']);
  expect(suspended.out).toBe('worker/rack-7 suspended\n');
  expect((await svcctl(['worker', 'suspend', 'worker/rack-7'])).out).toBe('worker/rack-7 unchanged\n');
  expect((await svcctl(['wait', 'worker/rack-7', '--for', 'phase=Draining'])).code).toBe(0);
  await run('waits');
  const described = async () => (await svcctl(['describe', 'task/waits'])).out;
  await vi.waitFor(async () => expect(await described()).toContain('worker rack-7 is suspended and claims no Tasks: new disk'), TIMEOUT_MS);
  expect((await svcctl(['get', 'task/waits', '-o', 'jsonpath={.status.phase}'])).out).toContain('Pending');
  expect((await svcctl(['worker', 'resume', 'rack-7'])).out).toBe('worker/rack-7 resumed\n');
  expect((await svcctl(['wait', 'task/waits', '--for', 'phase=Succeeded'])).code).toBe(0);
  expect((await svcctl(['get', 'worker/rack-7', '-o', 'yaml'])).out).not.toContain('new disk');
});

it('worker suspend of an unknown worker fails and names it', async () => {
  expect(await svcctl(['worker', 'suspend', 'absent'])).toMatchObject({ code: 5, err: expect.stringContaining('absent') as unknown });
});
