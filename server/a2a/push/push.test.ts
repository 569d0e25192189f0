// Push notifications against whole servers: configurations through the official clients, receivers that fail, hang and redirect inward.
import { JsonRpcTransport } from 'a2a-sdk-03/client';
import { StreamResponse, TaskState } from 'a2a-sdk-10';
import { JsonRpcTransportFactory } from 'a2a-sdk-10/client';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../app.ts';
import { parseInvocation } from '../../config.ts';
import { createLogger } from '../../log/log.ts';
import { createAgents, tokenOf, tokens, type Agents } from '../../testing/a2a/agents.ts';
import { ok, startReceiver, type Received } from '../../testing/a2a/push-receiver.ts';
import { databaseServers } from '../../testing/database-servers.ts';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';

const FLAGS = ['--allow-private-tool-endpoints', '--a2a-allow-private-endpoints'];
const KEY = 'ab'.repeat(32);
const authorised: typeof fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${tokenOf('writer')}` } });
let ids = 0;
const text = (said: string) => ({
  kind: 'message' as const,
  role: 'user' as const,
  messageId: `m${(ids += 1)}`,
  parts: [{ kind: 'text' as const, text: said }],
});
const statesOf = (received: readonly Received[]) => received.map(({ body }) => (body.task ?? body).status.state);

describe.each(databaseServers('push notifications', FLAGS, { SVC_API_TOKENS: tokens, SVC_SECRET_ENCRYPTION_KEY: KEY }))(
  'on $name',
  ({ start }) => {
    let server: TestServer;
    let agents: Agents;
    beforeAll(async () => {
      server = await start();
      agents = await createAgents(server.url);
    }, 60_000);
    afterAll(() => server.stop());

    const v03 = (system: string) => new JsonRpcTransport({ endpoint: agents.endpoint(system), fetchImpl: authorised });

    test('the card offers push notifications', async () => {
      const card = await (await fetch(`${server.url}/v1/agent-systems/echo/.well-known/agent-card.json`)).json();
      expect(card).toMatchObject({ capabilities: { pushNotifications: true } });
    });

    test('a message of A2A 0.3 with a configuration leads to a notification of its end', async () => {
      const receiver = await startReceiver();
      const pushNotificationConfig = { url: receiver.url, token: 'tok-1', authentication: { schemes: ['Bearer'], credentials: 'cred-1' } };
      const sent: any = await v03('slow').sendMessage({ message: text('go'), configuration: { blocking: false, pushNotificationConfig } });
      await expect.poll(() => receiver.received.length).toBe(1);
      const [{ headers, body } = { headers: {}, body: {} }] = receiver.received;
      expect(headers).toMatchObject({
        'x-a2a-notification-token': 'tok-1',
        authorization: 'Bearer cred-1',
        'content-type': 'application/json',
      });
      expect(body).toMatchObject({ kind: 'task', id: sent.id, status: { state: 'completed' } });
      expect(body.artifacts[0].parts[0].text).toContain('ten');
    });

    test('a run whose label was replaced leads to a notification of its end', async () => {
      const receiver = await startReceiver();
      const configuration = { blocking: false, pushNotificationConfig: { url: receiver.url } };
      const sent: any = await v03('slow').sendMessage({ message: text('go'), configuration });
      const tasks = `${server.url}/v1/tasks`;
      const { items }: any = await (await authorised(`${tasks}?labelSelector=${encodeURIComponent('svc.dev/door=a2a')}&limit=1000`)).json();
      const run = items.find(({ spec }: any) => spec.input.a2a_task_id === sent.id);
      const body = JSON.stringify({ metadata: { labels: { 'svc.dev/door': null } } });
      const headers = { 'content-type': 'application/merge-patch+json' };
      expect((await authorised(`${tasks}/${run.metadata.name}`, { method: 'PATCH', headers, body })).status).toBe(200);
      await expect.poll(() => receiver.received.length).toBe(1);
      expect(receiver.received[0]?.body).toMatchObject({ id: sent.id, status: { state: 'completed' } });
    });

    test('a caller whose token was revoked receives no notification', async () => {
      const receiver = await startReceiver();
      const as = (token: string, method: string, path: string, body?: object) =>
        fetch(`${server.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
      const request = { name: 'partner', role: 'a2a', a2a_agent_systems: ['hangs'] };
      const { token }: any = await (await as(tokenOf('writer'), 'POST', '/v1/tokens', request)).json();
      const fetchAsPartner: typeof fetch = (url, init) =>
        fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${token}` } });
      const partner = new JsonRpcTransport({ endpoint: agents.endpoint('hangs'), fetchImpl: fetchAsPartner });
      const configuration = { blocking: false, pushNotificationConfig: { url: receiver.url } };
      const revoked: any = await partner.sendMessage({ message: text('go'), configuration });
      const own: any = await v03('hangs').sendMessage({ message: text('go'), configuration });
      expect((await as(tokenOf('writer'), 'DELETE', '/v1/tokens/partner')).status).toBe(200);
      const { items }: any = await (await as(tokenOf('writer'), 'GET', '/v1/tasks?limit=1000')).json();
      for (const id of [revoked.id, own.id]) {
        const run = items.find(({ spec }: any) => spec.input.a2a_task_id === id);
        expect((await as(tokenOf('writer'), 'POST', `/v1/tasks/${run.metadata.name}/cancel`)).status).toBe(200);
      }
      await expect.poll(() => receiver.received.map(({ body }) => body.id)).toEqual([own.id]);
    });

    test('a caller without a token receives no notification of a system that is no longer public', async () => {
      const receiver = await startReceiver();
      await agents.put('agent-systems', 'closing', { agents: ['hangs'], a2a: { enabled: true, auth: 'public' } });
      const configuration = { blocking: false, pushNotificationConfig: { url: receiver.url } };
      const anyone = new JsonRpcTransport({ endpoint: agents.endpoint('closing'), fetchImpl: fetch });
      const [open, closed]: any[] = [
        await anyone.sendMessage({ message: text('go'), configuration }),
        await anyone.sendMessage({ message: text('go'), configuration }),
      ];
      await anyone.cancelTask({ id: open.id });
      await expect.poll(() => receiver.received.map(({ body }) => body.id)).toEqual([open.id]);
      await agents.put('agent-systems', 'closing', { agents: ['hangs'], a2a: { enabled: true, auth: 'bearer' } });
      const own: any = await v03('closing').sendMessage({ message: text('go'), configuration });
      const { items }: any = await (await authorised(`${server.url}/v1/tasks?limit=1000`)).json();
      for (const id of [closed.id, own.id]) {
        const run = items.find(({ spec }: any) => spec.input.a2a_task_id === id);
        expect((await authorised(`${server.url}/v1/tasks/${run.metadata.name}/cancel`, { method: 'POST' })).status).toBe(200);
      }
      await expect.poll(() => receiver.received.map(({ body }) => body.id)).toEqual([open.id, own.id]);
    });

    test('nobody receives a notification of a system that is closed', async () => {
      const receiver = await startReceiver();
      const opened = (enabled: boolean) => agents.put('agent-systems', 'shut', { agents: ['hangs'], a2a: { enabled } });
      await opened(true);
      const configuration = { blocking: false, pushNotificationConfig: { url: receiver.url } };
      const shut: any = await v03('shut').sendMessage({ message: text('go'), configuration });
      await opened(false);
      const other: any = await v03('hangs').sendMessage({ message: text('go'), configuration });
      const { items }: any = await (await authorised(`${server.url}/v1/tasks?limit=1000`)).json();
      for (const id of [shut.id, other.id]) {
        const run = items.find(({ spec }: any) => spec.input.a2a_task_id === id);
        expect((await authorised(`${server.url}/v1/tasks/${run.metadata.name}/cancel`, { method: 'POST' })).status).toBe(200);
      }
      await expect.poll(() => receiver.received.map(({ body }) => body.id)).toEqual([other.id]);
    });

    test('configurations of A2A 0.3 are created, read, listed and deleted by its official client', async () => {
      const client = v03('hangs');
      const sent: any = await client.sendMessage({ message: text('go'), configuration: { blocking: false } });
      const config = { id: 'one', url: 'https://example.com/hook', token: 'tok' };
      const set = { taskId: sent.id, pushNotificationConfig: config };
      expect(await client.setTaskPushNotificationConfig(set)).toEqual(set);
      expect(await client.getTaskPushNotificationConfig({ id: sent.id, pushNotificationConfigId: 'one' })).toEqual(set);
      expect(await client.getTaskPushNotificationConfig({ id: sent.id })).toEqual(set);
      expect(await client.listTaskPushNotificationConfig({ id: sent.id })).toEqual([set]);
      await client.deleteTaskPushNotificationConfig({ id: sent.id, pushNotificationConfigId: 'one' });
      expect(await client.listTaskPushNotificationConfig({ id: sent.id })).toEqual([]);
      await expect(client.getTaskPushNotificationConfig({ id: sent.id, pushNotificationConfigId: 'one' })).rejects.toThrow();
      // Official kit: a configuration without an id is read by the id `default`.
      const unnamed: any = await client.setTaskPushNotificationConfig({ taskId: sent.id, pushNotificationConfig: { url: config.url } });
      expect(unnamed.pushNotificationConfig.id).toBe('default');
      expect(await client.getTaskPushNotificationConfig({ id: sent.id, pushNotificationConfigId: 'default' })).toEqual(unnamed);
      await client.cancelTask({ id: sent.id });
    });

    test('configurations of A2A 1.0 are created, read, listed and deleted by its official client', async () => {
      const receiver = await startReceiver();
      const transport = await new JsonRpcTransportFactory({ fetchImpl: authorised }).create(agents.endpoint('hangs'), undefined as never);
      const sent = (
        await agents.call('hangs', 'SendMessage', {
          message: { role: 'ROLE_USER', messageId: 'p1', parts: [{ text: 'go' }] },
          configuration: { returnImmediately: true },
        })
      ).result.task;
      const config = {
        tenant: '',
        id: 'two',
        taskId: sent.id,
        url: receiver.url,
        token: 'tok-2',
        authentication: { scheme: 'Basic', credentials: 'Zm9v' },
      };
      const shown = { ...config, authentication: { scheme: 'Basic', credentials: '' } };
      expect(await transport.createTaskPushNotificationConfig(config)).toEqual(shown);
      const place = { tenant: '', taskId: sent.id, id: 'two' };
      expect(await transport.getTaskPushNotificationConfig(place)).toEqual(shown);
      expect(await transport.listTaskPushNotificationConfig({ tenant: '', taskId: sent.id, pageSize: 10, pageToken: '' })).toEqual({
        configs: [shown],
        nextPageToken: '',
      });
      await agents.call('hangs', 'CancelTask', { id: sent.id });
      await expect.poll(() => receiver.received.length).toBe(1);
      const [{ headers, body } = { headers: {}, body: {} }] = receiver.received;
      expect(headers).toMatchObject({
        authorization: 'Basic Zm9v',
        'x-a2a-notification-token': 'tok-2',
        'content-type': 'application/a2a+json',
      });
      const { payload } = StreamResponse.fromJSON(body);
      expect(payload).toMatchObject({ $case: 'task', value: { id: sent.id, status: { state: TaskState.TASK_STATE_CANCELED } } });
      await transport.deleteTaskPushNotificationConfig(place);
      await expect(transport.getTaskPushNotificationConfig(place)).rejects.toThrow();
    });

    test('configurations of A2A 1.0 are taken with the field names of the proto files, at an address with a slash behind it', async () => {
      const post = async (method: string, params: object) => {
        const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
        const init = { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
        return (await (await authorised(`${agents.endpoint('echo')}/`, init)).json()) as any;
      };
      const message = { role: 'ROLE_USER', messageId: 'proto-1', parts: [{ text: 'go' }] };
      const { task } = (await post('SendMessage', { message })).result;
      const config = { task_id: task.id, id: 'three', url: 'https://example.com/hook' };
      expect((await post('CreateTaskPushNotificationConfig', config)).result).toMatchObject({ id: 'three', taskId: task.id });
      expect((await post('ListTaskPushNotificationConfigs', { task_id: task.id, page_size: 5 })).result.configs).toHaveLength(1);
      for (let times = 0; times < 2; times += 1)
        expect((await post('DeleteTaskPushNotificationConfig', { task_id: task.id, id: 'three' })).error).toBeUndefined();
      expect((await post('ListTaskPushNotificationConfigs', { task_id: task.id })).result.configs).toEqual([]);
    });

    test('an approval and the end after it are delivered in order to a receiver that fails at first', async () => {
      const receiver = await startReceiver((response) => void response.writeHead(500).end(), ok);
      const sent: any = await v03('asker').sendMessage({
        message: text('go'),
        configuration: { pushNotificationConfig: { url: receiver.url } },
      });
      expect(sent.status.state).toBe('input-required');
      const { approval } = sent.status.message.parts[1].data;
      await agents.decide(approval, 'approve');
      await expect.poll(() => statesOf(receiver.received), { timeout: 15_000 }).toEqual(['input-required', 'input-required', 'completed']);
      expect(receiver.received[1]?.body.status.message.parts[0].text).toContain('waits for a decision');
    });

    test('a configuration for a task that has ended is notified at once', async () => {
      const receiver = await startReceiver();
      const client = v03('echo');
      const sent: any = await client.sendMessage({ message: text('go') });
      await client.setTaskPushNotificationConfig({ taskId: sent.id, pushNotificationConfig: { url: receiver.url } });
      await expect.poll(() => statesOf(receiver.received)).toEqual(['completed']);
    });

    test('the cancel of a queued turn leads to a notification', async () => {
      const receiver = await startReceiver();
      const client = v03('hangs');
      const first: any = await client.sendMessage({ message: text('go'), configuration: { blocking: false } });
      const second: any = await client.sendMessage({
        message: { ...text('next'), contextId: first.contextId },
        configuration: { blocking: false, pushNotificationConfig: { url: receiver.url } },
      });
      await client.cancelTask({ id: second.id });
      await client.cancelTask({ id: first.id });
      await expect.poll(() => receiver.received.map(({ body }) => [body.id, body.status.state])).toEqual([[second.id, 'canceled']]);
    });

    /** A context with a turn that runs and one that waits, each with its receiver. */
    async function twoTurns(receivers: readonly { readonly url: string }[]) {
      const client = v03('hangs');
      const started: any[] = [];
      for (const { url } of receivers) {
        const message = { ...text('go'), ...(started[0] && { contextId: started[0].contextId }) };
        started.push(await client.sendMessage({ message, configuration: { blocking: false, pushNotificationConfig: { url } } }));
      }
      const headers = { authorization: `Bearer ${tokenOf('writer')}` };
      const sessions = (await (await fetch(`${server.url}/v1/sessions`, { headers })).json()) as { metadata: any }[];
      const context: string = started[0].contextId;
      const session = sessions.find(({ metadata }) => metadata.annotations?.['svc.dev/a2a-context'] === context);
      return { ids: started.map(({ id }) => id as string), address: `${server.url}/v1/sessions/${session?.metadata.name}`, headers };
    }

    test.each([
      ['cancel', 'POST', '/cancel'],
      ['delete', 'DELETE', ''],
    ])('the %s of a Session leads to a notification of each of its turns, including a queued one', async (_what, method, path) => {
      const receivers = [await startReceiver(), await startReceiver((response) => void response.writeHead(500).end(), ok)];
      const { ids, address, headers } = await twoTurns(receivers);
      expect((await fetch(`${address}${path}`, { method, headers })).status).toBe(200);
      const seen = ({ received }: { received: readonly Received[] }) => received.map(({ body }) => [body.id, body.status.state]);
      await expect.poll(() => seen(receivers[0]!), { timeout: 15_000 }).toEqual([[ids[0], 'canceled']]);
      const waiting = [ids[1], 'canceled'];
      await expect.poll(() => seen(receivers[1]!), { timeout: 15_000 }).toEqual([waiting, waiting]);
      expect(receivers[1]!.received[1]?.body.history[0].parts[0].text).toBe('go');
    });

    test('a redirect inward is not followed', async () => {
      const receiver = await startReceiver(
        (response) => void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
        ok,
      );
      const client = v03('echo');
      const sent: any = await client.sendMessage({ message: text('go') });
      await client.setTaskPushNotificationConfig({ taskId: sent.id, pushNotificationConfig: { url: receiver.url } });
      await expect.poll(() => receiver.received.length).toBe(1);
      await client.deleteTaskPushNotificationConfig({
        id: sent.id,
        pushNotificationConfigId: ((await client.getTaskPushNotificationConfig({ id: sent.id })) as any).pushNotificationConfig.id,
      });
    });

    test.each([
      ['no URL', { url: 'hello' }, 'url must be a URL'],
      ['another scheme', { url: 'ftp://example.com/' }, 'http or https'],
      ['credentials in the URL', { url: 'https://u:p@example.com/' }, 'credentials'],
      ['a metadata address', { url: 'http://169.254.169.254/' }, 'metadata address'],
      ['a token with a line break', { url: 'https://example.com/', token: 'a\nb' }, 'token must be'],
      ['an odd scheme', { url: 'https://example.com/', authentication: { schemes: ['a b'] } }, 'authentication.scheme'],
      ['no object', 7, 'must be an object'],
    ])('a configuration with %s is refused, and starts nothing', async (_what, config, words) => {
      const answer = await agents.call('echo', 'message/send', { message: text('go'), configuration: { pushNotificationConfig: config } });
      expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
    });

    test('rejects configurations for tasks of other callers, and more than ten for one task', async () => {
      const sent: any = await v03('echo').sendMessage({ message: text('go') });
      const set = (id: string, options = {}) =>
        agents.call(
          'echo',
          'tasks/pushNotificationConfig/set',
          { taskId: sent.id, pushNotificationConfig: { id, url: 'https://example.com/' } },
          options,
        );
      expect((await set('x', { token: 'scoped' })).error.code).toBe(-32001);
      for (let index = 0; index < 10; index += 1) expect((await set(`c${index}`)).error).toBeUndefined();
      expect((await set('c10')).error).toMatchObject({ code: -32004, message: expect.stringContaining('at most 10') });
      expect((await set('c1')).error).toBeUndefined();
    });

    test('rejects a message whose configuration is one too many, and does not keep it', async () => {
      const pushed = (id: string) => ({ configuration: { blocking: false, pushNotificationConfig: { id, url: 'https://example.com/' } } });
      const { result: task } = await agents.call('asker', 'message/send', { message: text('go'), ...pushed('c0') });
      await expect.poll(async () => (await agents.call('asker', 'tasks/get', { id: task.id })).result.status.state).toBe('input-required');
      const send = (id: string, part: object) =>
        agents.call('asker', 'message/send', { message: { ...text(id), taskId: task.id, parts: [part] }, ...pushed(id) });
      for (let index = 1; index < 10; index += 1)
        expect((await send(`c${index}`, { kind: 'text', text: `more ${index}` })).error).toBeUndefined();
      const tooMany = { code: -32004, message: expect.stringContaining('at most 10') as string };
      expect((await send('c10', { kind: 'text', text: 'more 10' })).error).toMatchObject(tooMany);
      expect((await send('c11', { kind: 'data', data: { decision: 'approve' } })).error).toMatchObject(tooMany);
      const { result: now } = await agents.call('asker', 'tasks/get', { id: task.id });
      expect(now.status.state).toBe('input-required');
      expect(now.history).toHaveLength(10);
    });
  },
);

test('a redirect to another origin carries no token and no credentials', async () => {
  const server = await startTestServer(FLAGS, { SVC_API_TOKENS: tokens });
  onTestFinished(server.stop);
  const agents = await createAgents(server.url);
  const elsewhere = await startReceiver();
  const receiver = await startReceiver((response) => void response.writeHead(307, { location: elsewhere.url }).end());
  const secrets = { token: 'tok', authentication: { schemes: ['Bearer'], credentials: 'cred' } };
  const configuration = { pushNotificationConfig: { url: receiver.url, ...secrets } };
  await agents.call('echo', 'message/send', { message: text('go'), configuration });
  await expect.poll(() => statesOf(elsewhere.received)).toEqual(['completed']);
  expect(receiver.received[0]?.headers).toMatchObject({ 'x-a2a-notification-token': 'tok' });
  expect(elsewhere.received[0]?.headers).not.toHaveProperty('x-a2a-notification-token');
  expect(elsewhere.received[0]?.headers).not.toHaveProperty('authorization');
});

test('a push that a redirect would turn into a GET is retried', async () => {
  const server = await startTestServer(FLAGS, { SVC_API_TOKENS: tokens });
  onTestFinished(server.stop);
  const agents = await createAgents(server.url);
  const receiver = await startReceiver((response) => void response.writeHead(302, { location: '/elsewhere' }).end(), ok);
  await agents.call('echo', 'message/send', { message: text('go'), configuration: { pushNotificationConfig: { url: receiver.url } } });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
  expect(statesOf(receiver.received)).toEqual(['completed', 'completed']);
}, 30_000);

test('a push to a receiver that hangs is retried', async () => {
  const server = await startTestServer(FLAGS, { SVC_API_TOKENS: tokens });
  onTestFinished(server.stop);
  const agents = await createAgents(server.url);
  const receiver = await startReceiver(() => undefined, ok);
  await agents.call('echo', 'message/send', { message: text('go'), configuration: { pushNotificationConfig: { url: receiver.url } } });
  await expect.poll(() => statesOf(receiver.received), { timeout: 20_000 }).toEqual(['completed', 'completed']);
}, 30_000);

test('a notification asks the authorizer again, and waits for its answer', async () => {
  let deliveries = 0;
  let verdict: 'open' | 'other is denied, writer without an answer' | 'other is denied' = 'open';
  const server = await startTestServer(
    FLAGS,
    { SVC_API_TOKENS: tokens },
    {
      async authorize({ resource, identity: { name } }) {
        if (resource !== 'a2a' || verdict === 'open') return { allow: true };
        deliveries += 1;
        if (name === 'writer' && verdict !== 'other is denied') throw new Error('the authorizer is down');
        return { allow: name !== 'other' };
      },
    },
  );
  onTestFinished(server.stop);
  const agents = await createAgents(server.url);
  const receiver = await startReceiver();
  const params = { message: text('go'), configuration: { blocking: false, pushNotificationConfig: { url: receiver.url } } };
  const [own, others] = [
    await agents.call('hangs', 'message/send', params, { token: 'writer' }),
    await agents.call('hangs', 'message/send', { ...params, message: text('go') }, { token: 'other' }),
  ];
  verdict = 'other is denied, writer without an answer';
  // Answers are kept for some seconds.
  const refusal = async (token: 'writer' | 'other', id: string) => {
    const answer = await agents.call('hangs', 'tasks/get', { id }, { token });
    return answer.error?.code ?? 'none';
  };
  await expect.poll(() => refusal('other', others.result.id), { timeout: 15_000 }).toBe(-32_003);
  await expect.poll(() => refusal('writer', own.result.id), { timeout: 15_000 }).toBe(-32_603);
  const as = { authorization: `Bearer ${tokenOf('other')}` };
  const { items }: any = await (await fetch(`${server.url}/v1/tasks?limit=1000`, { headers: as })).json();
  const asked = deliveries;
  for (const { metadata } of items)
    expect((await fetch(`${server.url}/v1/tasks/${metadata.name}/cancel`, { method: 'POST', headers: as })).status).toBe(200);
  await expect.poll(() => deliveries).toBeGreaterThan(asked);
  expect(receiver.received).toEqual([]);
  verdict = 'other is denied';
  await expect.poll(() => receiver.received.map(({ body }) => body.id), { timeout: 15_000 }).toEqual([own.result.id]);
}, 60_000);

test('a private receiver is refused without the option', async () => {
  const server = await startTestServer([], { SVC_API_TOKENS: tokens });
  onTestFinished(server.stop);
  const agents = await createAgents(server.url);
  const answer = await agents.call('echo', 'message/send', {
    message: text('go'),
    configuration: { pushNotificationConfig: { url: 'http://10.0.0.7/' } },
  });
  expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('--a2a-allow-private-endpoints') });
});

test('waiting notifications survive a restart, and tokens are not readable in the data of the server', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-push-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const open = async () => {
    const invocation = parseInvocation(['--addr', '127.0.0.1:0', '--data-dir', dataDir, ...FLAGS], {
      SVC_API_TOKENS: tokens,
      SVC_SECRET_ENCRYPTION_KEY: KEY,
    });
    if (invocation.kind !== 'serve') throw new Error('these flags start no server');
    return startServer(invocation.config, createLogger({ level: 'silent', format: 'json' }));
  };
  const receiver = await startReceiver((response) => void response.writeHead(503).end(), ok);
  const first = await open();
  const agents = await createAgents(first.url);
  const secrets = { token: 'token-at-rest-1', authentication: { schemes: ['Bearer'], credentials: 'credentials-at-rest-1' } };
  await agents.call('echo', 'message/send', {
    message: text('go'),
    configuration: { pushNotificationConfig: { url: receiver.url, ...secrets } },
  });
  await expect.poll(() => receiver.received.length).toBe(1);
  await first.stop();
  for (const file of await readdir(dataDir)) {
    const bytes = await readFile(join(dataDir, file)).catch(() => Buffer.alloc(0));
    for (const secret of ['token-at-rest-1', 'credentials-at-rest-1']) expect(bytes.includes(secret)).toBe(false);
  }
  const second = await open();
  onTestFinished(() => second.stop());
  await expect.poll(() => statesOf(receiver.received), { timeout: 20_000 }).toEqual(['completed', 'completed']);
  expect(receiver.received[1]?.headers).toMatchObject({
    'x-a2a-notification-token': 'token-at-rest-1',
    authorization: 'Bearer credentials-at-rest-1',
  });
}, 60_000);
