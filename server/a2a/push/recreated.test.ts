// Configurations that are deleted and created a second time during a delivery.
import { expect, onTestFinished, test } from 'vitest';
import { createAgents, tokens } from '../../testing/a2a/agents.ts';
import { startReceiver } from '../../testing/a2a/push-receiver.ts';
import { startTestServer } from '../../testing/running-server.ts';

const FLAGS = ['--allow-private-tool-endpoints', '--a2a-allow-private-endpoints'];
const message = (messageId: string) => ({ kind: 'message', role: 'user', messageId, parts: [{ kind: 'text', text: 'go' }] });

async function startAgents() {
  const server = await startTestServer(FLAGS, { SVC_API_TOKENS: tokens });
  onTestFinished(server.stop);
  return createAgents(server.url);
}

test('a configuration that was recreated during a delivery is notified of the end', async () => {
  const agents = await startAgents();
  const silent = await startReceiver(() => undefined);
  const receiver = await startReceiver();
  const configuration = { pushNotificationConfig: { url: silent.url } };
  const { result: task } = await agents.call('asker', 'message/send', { message: message('m1'), configuration });
  await expect.poll(() => silent.received.length).toBe(1);
  const asked = (operation: string, more: object) => agents.call('asker', `tasks/pushNotificationConfig/${operation}`, more);
  expect((await asked('delete', { id: task.id, pushNotificationConfigId: 'default' })).error).toBeUndefined();
  const recreated = { taskId: task.id, pushNotificationConfig: { url: receiver.url } };
  expect((await asked('set', recreated)).error).toBeUndefined();
  await agents.decide(task.status.message.parts[1].data.approval, 'approve');
  await expect.poll(() => receiver.received.map(({ body }) => body.status.state), { timeout: 30_000 }).toEqual(['completed']);
}, 60_000);

test('a configuration of an ended task may be recreated during a delivery', async () => {
  const agents = await startAgents();
  const silent = await startReceiver(() => undefined);
  const receiver = await startReceiver();
  const { result: task } = await agents.call('echo', 'message/send', { message: message('m1') });
  const asked = (operation: string, more: object) => agents.call('echo', `tasks/pushNotificationConfig/${operation}`, more);
  const set = (url: string) => asked('set', { taskId: task.id, pushNotificationConfig: { url } });
  await set(silent.url);
  await expect.poll(() => silent.received.length).toBe(1);
  await asked('delete', { id: task.id, pushNotificationConfigId: 'default' });
  expect((await set(receiver.url)).error).toBeUndefined();
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
}, 60_000);
