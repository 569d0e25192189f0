// The server under supervision, as a real forked process: its messages, its sign-in, its refusals to start, and its end.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { request } from 'undici';
import { FATALS } from '@svc/shared/control';
import { openConnection } from '../store/sqlite/connection.ts';
import { startServerProcess } from '../testing/server-process.ts';
import {
  mintCookie,
  newLaunchSecret,
  startSupervised,
  type SupervisedOptions,
  type SupervisedServer,
} from '../testing/supervised-server.ts';

const servers: SupervisedServer[] = [];
function start(options: SupervisedOptions = {}): SupervisedServer {
  const server = startSupervised(options);
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.child.kill('SIGKILL');
    await server.ended;
    rmSync(server.dataDir, { recursive: true, force: true });
  }
});

async function send(
  origin: string,
  path: string,
  options: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: unknown } = {},
) {
  const { method = 'GET', headers = {}, body } = options;
  const answer = await request(new URL(path, origin), {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

describe('the start', () => {
  test('reports hello, then ready, and writes a private runtime.json that it removes', async () => {
    const server = start();
    const { origin } = await server.message('ready');
    expect(server.received.map(({ type }) => type).slice(0, 2)).toEqual(['hello', 'ready']);
    expect(server.received[0]).toMatchObject({ protocol: 1, pid: server.child.pid });
    const file = join(server.dataDir, 'runtime.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: server.child.pid, origin });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    server.send({ type: 'shutdown', graceMs: 5_000 });
    expect(await server.ended).toBe(0);
    expect(() => statSync(file)).toThrow();
  });

  test('takes the preferred port, and a free one where another program has it', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const beside = start({ bootstrap: { preferredPort: port } });
    expect(new URL((await beside.message('ready')).origin).port).not.toBe(`${port}`);
    blocker.close();
    await once(blocker, 'close');
    const first = start({ bootstrap: { preferredPort: port } });
    expect(new URL((await first.message('ready')).origin).port).toBe(`${port}`);
  });

  test('requests a missing key, and prints no secrets', async () => {
    const launchSecret = newLaunchSecret();
    const server = start({ bootstrap: { kek: null, launchSecret, logLevel: 'debug' } });
    await server.message('seal-kek-request');
    const cookie = await mintCookie(server);
    await send((await server.message('ready')).origin, '/v1/agents', { headers: { cookie } });
    expect(server.output()).not.toContain(launchSecret);
    expect(server.output()).not.toContain(cookie.split('=')[1]);
  });

  test('ignores variables that configure svcd', async () => {
    const server = start({ env: { SVC_API_TOKENS: 'ann:token-of-ann-0123456789:admin', SVC_DATA_DIR: '/nonexistent' } });
    const { origin } = await server.message('ready');
    const headers = { authorization: 'Bearer token-of-ann-0123456789' };
    expect((await send(origin, '/v1/agents', { headers })).status).toBe(401);
  });

  test('is refused without a parent that sends settings', async () => {
    const server = start({ silent: true });
    await server.message('hello');
    server.sendRaw({ type: 'bootstrap', protocol: 2, kek: 'secret-key' });
    const fatal = await server.message('fatal');
    expect(fatal).toMatchObject({ code: 'BAD_BOOTSTRAP', hint: FATALS.BAD_BOOTSTRAP.hint });
    expect(fatal.message).not.toContain('secret-key');
    expect(await server.ended).toBe(78);
  });
});

describe('limits of the work', () => {
  test('become those of the worker, and a start with them is a start', async () => {
    const server = start({ bootstrap: { limits: { maxConcurrentTasks: 3, containerMemoryMiB: 16, containerCpus: 0.29 } } });
    const { origin } = await server.message('ready');
    const headers = { cookie: await mintCookie(server), origin };
    const slots = async () => (await send(origin, '/v1/workers', { headers })).body?.[0]?.spec?.max_concurrent_tasks as unknown;
    await expect.poll(slots).toBe(3);
  });

  test('out of range end the start with 78', async () => {
    const server = start({ bootstrap: { limits: { maxConcurrentTasks: null, containerMemoryMiB: 8, containerCpus: null } } });
    expect(await server.message('fatal')).toMatchObject({ code: 'BAD_BOOTSTRAP' });
    expect(await server.ended).toBe(78);
  });
});

describe('refusals to start', () => {
  test('a data directory that another server owns ends with 77', async () => {
    const other = await startServerProcess();
    try {
      const server = start({ dataDir: other.dataDir });
      expect(await server.message('fatal')).toMatchObject({ code: 'LOCKED' });
      expect(await server.ended).toBe(77);
      expect(JSON.parse(readFileSync(join(other.dataDir, 'runtime.json'), 'utf8'))).toMatchObject({ pid: other.pid, origin: other.url });
    } finally {
      await other.dispose();
    }
  });

  test('a damaged database, another key, a newer schema and an unwritable directory end with 78', async () => {
    const damaged = mkdtempSync(join(tmpdir(), 'svcd-damaged-'));
    writeFileSync(join(damaged, 'svc.db'), 'no database '.repeat(500));
    const first = start({ dataDir: damaged });
    expect(await first.message('fatal')).toMatchObject({ code: 'DAMAGED' });
    expect(await first.ended).toBe(78);

    const keyed = start();
    await keyed.message('ready');
    keyed.send({ type: 'shutdown', graceMs: 5_000 });
    await keyed.ended;
    const second = start({ dataDir: keyed.dataDir, bootstrap: { kek: 'cd'.repeat(32) } });
    expect(await second.message('fatal')).toMatchObject({ code: 'OTHER_KEY', hint: FATALS.OTHER_KEY.hint });
    expect(await second.ended).toBe(78);

    const database = openConnection(join(keyed.dataDir, 'svc.db'));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    const newer = start({ dataDir: keyed.dataDir });
    expect(await newer.message('fatal')).toMatchObject({ code: 'SCHEMA_TOO_NEW', message: expect.stringContaining('9999') as string });
    expect(await newer.ended).toBe(78);

    const third = start({ dataDir: '/proc/no-such-directory' });
    expect(await third.message('fatal')).toMatchObject({ code: 'UNWRITABLE' });
    expect(await third.ended).toBe(78);
  });
});

describe('keys of providers in the environment of the person', () => {
  const accept = async (server: SupervisedServer, variable: string) => {
    const { origin } = await server.message('ready');
    const headers = { cookie: await mintCookie(server), origin, 'sec-fetch-site': 'same-origin' };
    return send(origin, '/trpc/environmentKeys.accept', { method: 'POST', headers, body: { variable, namespace: 'default' } });
  };

  test('a value is requested from the app after a confirmation, and is in no line of the log', async () => {
    const server = start({ bootstrap: { environmentKeys: ['OPENAI_API_KEY'], logLevel: 'debug' } });
    const answer = accept(server, 'OPENAI_API_KEY');
    const { nonce, variable } = await server.message('environment-key-request');
    expect(variable).toBe('OPENAI_API_KEY');
    server.send({ type: 'environment-key', nonce: 'A'.repeat(22), value: 'sk-of-nobody' });
    server.send({ type: 'environment-key', nonce, value: 'sk-of-the-person' });
    expect((await answer).status).toBe(200);
    expect(server.output()).not.toContain('sk-of-the-person');
  });

  test('a value is never requested for a variable that the app does not offer', async () => {
    const server = start({ env: { ANTHROPIC_API_KEY: 'sk-of-the-process' } });
    expect((await accept(server, 'ANTHROPIC_API_KEY')).status).toBe(404);
    expect(server.received.some(({ type }) => type === 'environment-key-request')).toBe(false);
  });
});

describe('the sign-in of the window', () => {
  test('only a minted cookie is accepted, even after a crash of the server', async () => {
    const launchSecret = newLaunchSecret();
    const server = start({ bootstrap: { launchSecret } });
    const { origin } = await server.message('ready');
    const cookie = await mintCookie(server);
    expect((await send(origin, '/v1/auth/me', { headers: { cookie } })).body).toMatchObject({ name: 'desktop', role: 'admin' });
    expect((await send(origin, '/v1/agents')).status).toBe(401);
    const forged = await send(origin, '/v1/agents', { headers: { cookie: `${cookie.slice(0, -4)}AAAA` } });
    expect(forged.status).toBe(401);
    expect(String(forged.headers['set-cookie'])).toContain('svc_ui=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    server.child.kill('SIGKILL');
    await server.ended;
    const preferredPort = Number(new URL(origin).port);
    const again = start({ dataDir: server.dataDir, bootstrap: { launchSecret, preferredPort } });
    expect((await again.message('ready')).origin).toBe(origin);
    expect((await send(origin, '/v1/agents', { headers: { cookie } })).status).toBe(200);
    const other = start({ bootstrap: { launchSecret: newLaunchSecret() } });
    expect((await send((await other.message('ready')).origin, '/v1/agents', { headers: { cookie } })).status).toBe(401);
  });

  test('a cookie that another program got on the port of a crashed server opens nothing on the next port', async () => {
    const launchSecret = newLaunchSecret();
    const server = start({ bootstrap: { launchSecret } });
    const { origin } = await server.message('ready');
    const cookie = await mintCookie(server);
    server.child.kill('SIGKILL');
    await server.ended;
    const thief = createServer().listen(Number(new URL(origin).port), '127.0.0.1');
    await once(thief, 'listening');
    const again = start({ dataDir: server.dataDir, bootstrap: { launchSecret, preferredPort: Number(new URL(origin).port) } });
    const next = (await again.message('ready')).origin;
    thief.close();
    expect((await send(next, '/v1/agents', { headers: { cookie } })).status).toBe(401);
    expect((await send(next, '/v1/agents', { headers: { cookie: await mintCookie(again) } })).status).toBe(200);
  });

  test('is neither read nor removed by another server on this host', async () => {
    const other = await startServerProcess({ env: { SVC_API_TOKENS: 'ann:token-of-ann-0123456789:admin' } });
    try {
      const body = { token: 'token-of-ann-0123456789' };
      const { headers } = await send(other.url, '/v1/auth/login', { method: 'POST', headers: { origin: other.url }, body });
      const [signIn = ''] = String(headers['set-cookie']).split(';', 1);
      const cookie = `svc_ui=ui_${'a'.repeat(16)}.${'b'.repeat(43)}`;
      const signedIn = await send(other.url, '/v1/auth/me', { headers: { cookie: `${cookie}; ${signIn}` } });
      expect([signedIn.status, signedIn.body?.name]).toEqual([200, 'ann']);
      const anonymous = await send(other.url, '/v1/agents', { headers: { cookie } });
      expect([anonymous.status, anonymous.headers['set-cookie']]).toEqual([401, undefined]);
    } finally {
      await other.dispose();
    }
  });

  test('a rebound host is refused with 403, and so are writes of other pages', async () => {
    const server = start();
    const { origin } = await server.message('ready');
    const cookie = await mintCookie(server);
    const host = `evil.example:${new URL(origin).port}`;
    expect((await send(origin, '/v1/agents', { headers: { cookie, host } })).status).toBe(403);
    const body = { metadata: { name: 'a' }, spec: {} };
    const write = (headers: Record<string, string>) =>
      send(origin, '/v1/agents?dryRun=All', { method: 'POST', headers: { cookie, ...headers }, body });
    expect((await write({ origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await write({})).status).toBe(403);
    expect((await write({ origin, 'sec-fetch-site': 'same-origin' })).status).not.toBe(403);
  });
});

describe('approvals', () => {
  async function withApproval(risk: 'low' | 'high') {
    const server = start();
    const { origin } = await server.message('ready');
    const headers = { cookie: await mintCookie(server), origin };
    const post = (path: string, body: unknown) => send(origin, path, { method: 'POST', headers, body });
    const tool = { metadata: { name: 'lookup' }, spec: { type: 'http', endpoint: 'https://tool.example/', risk_level: risk } };
    expect((await post('/v1/tools', tool)).status).toBe(201);
    const spec = { task_ref: 'billing', tool: 'lookup', agent: 'clerk', input: '{"customer":"secret-name"}', reason: 'by rule' };
    expect((await post('/v1/tool-approvals', { metadata: { name: 'q1' }, spec })).status).toBe(201);
    return { server, origin, headers, notice: await server.message('notify') };
  }

  test('are announced without their input, counted, and cancelled once decided elsewhere', async () => {
    const { server, origin, headers, notice } = await withApproval('high');
    expect(notice).toMatchObject({
      title: 'clerk wants to call lookup',
      body: 'Task billing · by rule',
      link: 'svc://approvals/tool/default/q1',
      actions: [],
      urgency: 'critical',
    });
    expect(JSON.stringify(server.received)).not.toContain('secret-name');
    await server.message('badge', ({ count }) => count === 1);
    server.send({ type: 'decide', approvalRef: { kind: 'ToolApproval', namespace: 'default', name: 'q1' }, decision: 'approved' });
    expect(await server.message('decided')).toMatchObject({ ok: false, message: expect.stringContaining('on its page') as string });
    expect((await send(origin, '/v1/tool-approvals/q1', { headers })).body).toMatchObject({ status: { phase: 'Pending' } });
    expect((await send(origin, '/v1/tool-approvals/q1/deny', { method: 'POST', headers, body: {} })).status).toBe(200);
    expect(await server.message('notify-cancel')).toEqual({ type: 'notify-cancel', id: notice.id });
    await server.message('badge', ({ count }) => count === 0);
  });

  test('are decided from the notification where the risk is low', async () => {
    const { server, origin, headers, notice } = await withApproval('low');
    expect(notice.actions).toEqual(['approve', 'deny']);
    const approvalRef = { kind: 'ToolApproval', namespace: 'default', name: 'q1' } as const;
    server.send({ type: 'decide', approvalRef, decision: 'denied', comment: 'not now' });
    expect(await server.message('decided')).toEqual({ type: 'decided', approvalRef, ok: true, message: '' });
    const { body } = await send(origin, '/v1/tool-approvals/q1', { headers });
    expect(body.status).toMatchObject({ phase: 'Denied', decided_by: 'desktop', comment: 'not now' });
    server.send({ type: 'decide', approvalRef, decision: 'approved' });
    expect(await server.message('decided', ({ ok }) => !ok)).toMatchObject({ message: expect.stringContaining('decided') as string });
  });
});

describe('other servers', () => {
  const TOKEN = 'token-of-the-remote-admin';
  const profile = { id: 'shared', name: 'Shared', origin: '' };

  async function withRemote() {
    const remote = await startServerProcess({ env: { SVC_API_TOKENS: `ann:${TOKEN}:admin` } });
    const server = start({ bootstrap: { profiles: [{ ...profile, origin: remote.url }] } });
    const { origin } = await server.message('ready');
    server.send({ type: 'profile-secret', id: 'shared', token: TOKEN });
    return { remote, server, origin, cookie: await mintCookie(server) };
  }

  test('are reached by the window alone, as the identity of the stored token', async () => {
    const { remote, server, origin, cookie } = await withRemote();
    try {
      const me = (headers: Record<string, string>) => send(origin, '/p/shared/v1/auth/me', { headers });
      expect((await me({ cookie })).body).toMatchObject({ name: 'ann', role: 'admin' });
      expect((await me({})).status).toBe(401);
      expect((await me({ cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403);
      expect((await me({ cookie, host: 'evil.example' })).status).toBe(403);
      const own = await send(origin, '/v1/tokens', {
        method: 'POST',
        headers: { cookie, origin },
        body: { name: 'script', role: 'admin' },
      });
      const bearer = { authorization: `Bearer ${(own.body as { token: string }).token}` };
      expect((await send(origin, '/v1/agents', { headers: bearer })).status).toBe(200);
      expect((await me(bearer)).body).toMatchObject({ error: { code: 'forbidden' } });

      const body = { metadata: { name: 'm' }, spec: { provider: 'mock', default_model: 'x' } };
      const write = (headers: Record<string, string>) => send(origin, '/p/shared/v1/model-endpoints', { method: 'POST', headers, body });
      expect((await write({ cookie, origin: 'http://127.0.0.1:1' })).status).toBe(403);
      expect((await write({ cookie, origin })).status).toBe(201);
      expect((await send(remote.url, '/v1/model-endpoints/m', { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
      expect((await send(origin, '/v1/model-endpoints/m', { headers: { cookie } })).status).toBe(404);
      expect(server.output()).not.toContain(TOKEN);
    } finally {
      await remote.dispose();
    }
  });

  test('are shown by this console under the path of the profile', async () => {
    const { remote, origin, cookie } = await withRemote();
    try {
      const page = await request(new URL('/p/shared/n/default/agents', origin), { headers: { accept: 'text/html', cookie } });
      expect(page.headers['content-security-policy']).toContain("script-src 'self'");
      expect(await page.body.text()).toContain('<meta name="base-path" content="/p/shared"');
      const status = await send(origin, '/p/shared/.gateway', { headers: { cookie } });
      expect(status.body).toMatchObject({ name: 'Shared', origin: remote.url, ok: true, state: 'ready' });
      expect((await send(origin, '/p/unknown/.gateway', { headers: { cookie } })).status).toBe(404);
    } finally {
      await remote.dispose();
    }
  });

  test('are tested by message, and the stored token stays with its address', async () => {
    const { remote, server } = await withRemote();
    try {
      const check = async (changes: object, token?: string) => {
        const nonce = newLaunchSecret();
        const draft = { ...profile, origin: remote.url, ...changes };
        server.send({ type: 'profile-test', nonce, profile: draft, ...(token !== undefined && { token }) });
        return (await server.message('profile-tested', (message) => message.nonce === nonce)).result;
      };
      expect(await check({})).toMatchObject({ state: 'ready' });
      expect(await check({}, 'wrong-token-0123456789')).toMatchObject({ state: 'refused' });
      expect(await check({ id: 'other' })).toMatchObject({ state: 'refused', message: 'The server requires a token' });
      expect(await check({ origin: 'http://127.0.0.1:9' })).toMatchObject({ state: 'unreachable' });
      expect(await check({ origin: 'http://169.254.169.254' })).toMatchObject({ state: 'untrusted' });
    } finally {
      await remote.dispose();
    }
  });
});

describe('a pause', () => {
  test('keeps tasks waiting, and they run once it is lifted', async () => {
    const server = start();
    const { origin } = await server.message('ready');
    const headers = { cookie: await mintCookie(server), origin };
    const post = (path: string, body: unknown) => send(origin, path, { method: 'POST', headers, body });
    const phase = async () => (await send(origin, '/v1/tasks/t', { headers })).body?.status?.phase as string;
    server.send({ type: 'pause', paused: true });
    await server.message('paused', ({ paused }) => paused);
    await post('/v1/model-endpoints', { metadata: { name: 'm' }, spec: { provider: 'mock', default_model: 'x' } });
    await post('/v1/agents', { metadata: { name: 'a' }, spec: { model_ref: 'm', prompt: 'Answer.' } });
    await post('/v1/agent-systems', { metadata: { name: 's' }, spec: { agents: ['a'], graph: { a: {} } } });
    expect((await post('/v1/tasks', { metadata: { name: 't' }, spec: { system: 's' } })).status).toBe(201);
    // A power event polls for work at once without a pause.
    server.send({ type: 'power', event: 'resume' });
    server.send({ type: 'pause', paused: true });
    await expect.poll(() => server.received.filter(({ type }) => type === 'paused').length).toBe(2);
    expect(await phase()).toBe('Pending');
    server.send({ type: 'pause', paused: false });
    await expect.poll(phase).toBe('Succeeded');
  });
});

describe('the end', () => {
  test('follows the end of the parent process', async () => {
    const server = start();
    const { origin } = await server.message('ready');
    server.child.disconnect();
    expect(await server.ended).toBe(0);
    await expect(send(origin, '/healthz')).rejects.toThrow();
  });

  test('drain reports when no run is left', async () => {
    const server = start();
    await server.message('ready');
    server.send({ type: 'drain', deadlineMs: 5_000 });
    expect(await server.message('drained')).toEqual({ type: 'drained', complete: true });
  });

  test('a message of an unknown form is dropped', async () => {
    const server = start();
    await server.message('ready');
    server.sendRaw({ type: 'decide', approvalRef: 'x', decision: 'approved' });
    server.sendRaw('nonsense');
    server.send({ type: 'power', event: 'resume' });
    expect(await mintCookie(server)).toContain('svc_ui=');
    await expect.poll(() => server.output()).toContain('dropped a control message of an unknown form');
  });
});
