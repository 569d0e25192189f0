// Approvals of other servers: followed with the token of the profile over a real server, decided there, and refused where the token decides nothing.
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FromServer } from '@svc/shared/control';
import { systemClock } from '../clock.ts';
import { Gateway } from '../gateway/gateway.ts';
import { installedVersion } from '../installation.ts';
import { startTestServer } from '../testing/running-server.ts';
import { createConversation, DESKTOP_CONTEXT, type DesktopServices } from './conversation.ts';
import { RemoteWork } from './remote-work.ts';

const ADMIN = 'token-of-an-admin-000001';
const APPROVER = 'token-of-an-approver-0001';
const READER = 'token-of-a-reader-000001';
const TOKENS = `ann:${ADMIN}:admin,art:${APPROVER}:approver,rae:${READER}:reader`;

function follow(origin: string, token: string) {
  const gateway = new Gateway({ version: installedVersion(), profiles: [{ id: 'eu', name: 'Staging EU', origin }] });
  const sent: FromServer[] = [];
  const problems: string[] = [];
  const work = new RemoteWork({
    gateway,
    clock: systemClock,
    context: DESKTOP_CONTEXT,
    send: (message) => sent.push(message),
    onProblem: (_profile, message) => problems.push(message),
  });
  onTestFinished(async () => {
    await work.stop();
    await gateway.close();
  });
  gateway.setToken('eu', token);
  work.update();
  return { gateway, work, sent, problems };
}

async function remote() {
  const server = await startTestServer([], { SVC_API_TOKENS: TOKENS });
  onTestFinished(() => server.stop());
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, await answer.text()).toBeLessThan(300);
  };
  await post('/v1/tools?namespace=team-a', {
    metadata: { name: 'lookup', namespace: 'team-a' },
    spec: { type: 'http', endpoint: 'https://t.example/', risk_level: 'low' },
  });
  const question = (name: string) =>
    post('/v1/tool-approvals?namespace=team-a', {
      metadata: { name, namespace: 'team-a' },
      spec: { task_ref: 'bill', tool: 'lookup', agent: 'clerk', input: '{"secret":1}' },
    });
  const phase = async (name: string) => {
    const headers = { authorization: `Bearer ${ADMIN}` };
    const answer = await fetch(`${server.url}/v1/tool-approvals/${name}?namespace=team-a`, { headers });
    return ((await answer.json()) as { status: { phase: string } }).status.phase;
  };
  return { url: server.url, post, question, phase };
}

const noticesOf = (sent: readonly FromServer[]) => sent.filter(({ type }) => type === 'notify');
const badgeOf = (sent: readonly FromServer[]) => sent.filter(({ type }) => type === 'badge').at(-1);

describe('approvals of another server', { timeout: 30_000 }, () => {
  test('are notified with the profile, those of before and new ones, and cancelled when they are decided there', async () => {
    const { url, question, post } = await remote();
    await question('q1');
    const { sent } = follow(url, APPROVER);
    await expect.poll(() => noticesOf(sent).length).toBe(1);
    expect(noticesOf(sent)[0]).toMatchObject({
      profile: 'eu',
      id: expect.stringMatching(/^eu:ToolApproval\/team-a\/q1\//) as string,
      title: 'clerk wants to call lookup',
      link: 'svc://approvals/tool/team-a/q1',
      actions: ['approve', 'deny'],
    });
    expect(JSON.stringify(sent)).not.toContain('secret');
    await question('q2');
    await expect.poll(() => badgeOf(sent)).toEqual({ type: 'badge', count: 2, profile: 'eu' });
    await post('/v1/tool-approvals/q1/approve?namespace=team-a', {});
    await expect.poll(() => badgeOf(sent)).toEqual({ type: 'badge', count: 1, profile: 'eu' });
    expect(sent.filter(({ type }) => type === 'notify-cancel')).toHaveLength(1);
    expect(sent.some(({ type }) => type === 'busy')).toBe(false);
  });

  test('are not notified to a token that may only read', async () => {
    const { url, question } = await remote();
    await question('q1');
    const { sent, problems } = follow(url, READER);
    await expect.poll(() => problems).toEqual(['The token of this profile decides no approvals']);
    expect(noticesOf(sent)).toEqual([]);
  });

  test('are withdrawn once the profile leaves or its token may only read', async () => {
    const { url, question } = await remote();
    await question('q1');
    const { gateway, work, sent } = follow(url, ADMIN);
    await expect.poll(() => noticesOf(sent).length).toBe(1);
    gateway.setToken('eu', READER);
    work.update();
    await expect.poll(() => badgeOf(sent)).toEqual({ type: 'badge', count: 0, profile: 'eu' });
    gateway.setProfiles([]);
    work.update();
    expect(noticesOf(sent)).toHaveLength(1);
  });

  test('are cancelled before their renamed profile notifies them again', async () => {
    const { url, question } = await remote();
    await question('q1');
    const { gateway, work, sent } = follow(url, APPROVER);
    await expect.poll(() => noticesOf(sent).length).toBe(1);
    gateway.setProfiles([{ id: 'eu', name: 'Europe', origin: url }]);
    gateway.setToken('eu', APPROVER);
    work.update();
    expect(sent.map(({ type }) => type)).toContain('notify-cancel');
    await expect.poll(() => noticesOf(sent).length).toBe(2);
    await expect.poll(() => badgeOf(sent)).toMatchObject({ count: 1 });
    const notices = sent.map(({ type }) => type).filter((type) => type.startsWith('notify'));
    expect(notices).toEqual(['notify', 'notify-cancel', 'notify']);
  });

  test('with tools of low risk are decided from the notification by their uid', async () => {
    const { url, question, phase } = await remote();
    await question('q1');
    const { work, gateway } = follow(url, APPROVER);
    const answers: FromServer[] = [];
    const services = { remote: work, gateway } as unknown as DesktopServices;
    const log = { warn: () => undefined, error: (_: object, text: string) => expect.unreachable(text) };
    const converse = createConversation({
      services,
      launch: {} as never,
      send: (message) => answers.push(message),
      log: log as never,
      onShutdown: () => undefined,
    });
    const approvalRef = { kind: 'ToolApproval', namespace: 'team-a', name: 'q1' } as const;
    await converse({ type: 'decide', profile: 'eu', approvalRef, decision: 'approved' });
    expect(answers).toEqual([{ type: 'decided', approvalRef, profile: 'eu', ok: true, message: '' }]);
    expect(await phase('q1')).toBe('Approved');
    await converse({ type: 'decide', profile: 'gone', approvalRef, decision: 'approved' });
    expect(answers.at(-1)).toMatchObject({ ok: false, message: expect.stringContaining('There is no profile "gone"') as string });
  });
});

test('a decision that fails by a defect is answered and logged', async () => {
  const answers: FromServer[] = [];
  const logged: string[] = [];
  const converse = createConversation({
    services: { registry: { get: () => Promise.reject(new TypeError('a defect')) }, runs: {} } as unknown as DesktopServices,
    launch: {} as never,
    send: (message) => answers.push(message),
    log: { error: (_: object, text: string) => logged.push(text) } as never,
    onShutdown: () => undefined,
  });
  const approvalRef = { kind: 'ToolApproval', namespace: 'team-a', name: 'q1' } as const;
  await converse({ type: 'decide', approvalRef, decision: 'approved' });
  expect(answers).toEqual([{ type: 'decided', approvalRef, ok: false, message: 'The server failed; its log has the reason' }]);
  expect(logged).toEqual(['a control message failed']);
});

describe('a server that lies', () => {
  const lying = async (answers: Readonly<Record<string, unknown>>) => {
    const listener: RequestListener = ({ url = '' }, response) => {
      const found = Object.entries(answers).find(([path]) => url.startsWith(path))?.[1];
      if (url.includes('/watch')) return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(String(found ?? ''));
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
    };
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      return new Promise<void>((done) => void server.close(() => done()));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const good = {
    '/v1/capabilities': { version: installedVersion(), capabilities: [{ id: 'resources' }] },
    '/v1/auth/me': { role: 'admin' },
    '/v1/events': { items: [] },
  };
  const approval = (metadata: object, spec: unknown = {}) => ({ kind: 'ToolApproval', metadata, spec, status: { phase: 'Pending' } });

  test('about its version is not followed', async () => {
    const { problems } = follow(
      await lying({ ...good, '/v1/capabilities': { version: '9.0.0', capabilities: [{ id: 'resources' }] } }),
      ADMIN,
    );
    await expect.poll(() => problems[0]).toContain('version 9.0.0');
  });

  test('with objects of strange names and forms is read as far as they can be named', async () => {
    const events = [approval({ name: 'b', namespace: 'x', uid: 'u2' }), approval({ name: '../c', namespace: 'x', uid: 'u3' }), 'text'].map(
      (resource) => `event: resource\nid: 1\ndata: ${JSON.stringify({ type: 'created', resource })}\n\n`,
    );
    const origin = await lying({
      ...good,
      '/v1/tool-approvals/watch': events.join(''),
      '/v1/task-approvals': { items: [] },
      '/v1/tool-approvals': {
        items: [
          approval({ name: 'a', namespace: 'x', uid: 'u1' }, { tool: 7, agent: ['x'], task_ref: { y: 1 }, reason: 'r\u202e' }),
          approval({ name: 'a/../b', namespace: 'x', uid: 'u' }),
          approval({ name: 'a', namespace: 'X Y', uid: 'u' }),
          approval({ name: 'a', namespace: 'x', uid: 'u'.repeat(100) }),
          null,
          7,
        ],
      },
    });
    const { sent } = follow(origin, ADMIN);
    await expect
      .poll(() => noticesOf(sent).map((notice) => 'id' in notice && notice.id))
      .toEqual(['eu:ToolApproval/x/a/u1', 'eu:ToolApproval/x/b/u2']);
    expect(JSON.stringify(sent)).not.toContain('\u202e');
  });
});
