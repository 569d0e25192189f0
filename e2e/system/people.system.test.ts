// People over two real servers on one PostgreSQL: streams that end elsewhere, decisions with their names, and an audit log without secrets.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

const SETUP = 'the-setup-token-of-this-test';
const ROOT_PASSWORD = 'the password of the first admin';

interface Answer {
  readonly status: number;
  readonly body: any;
  readonly cookie: string;
}

describe.skipIf(withoutPostgres('people over two servers'))('people', () => {
  let postgres: PostgresServer;
  let directory: string;
  let audit: string;
  let one: ServerProcess;
  let two: ServerProcess;
  let root = '';
  /** Every password and cookie of this test: none may be in the audit log. */
  const secrets: string[] = [SETUP, ROOT_PASSWORD];

  async function send(server: ServerProcess, cookie: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json', origin: server.url, cookie };
    const response = await fetch(`${server.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const set = response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    if (set !== '') secrets.push(set.split('=')[1] ?? '');
    return { status: response.status, body: await response.json(), cookie: set };
  }

  /** A new user, signed in at this server. */
  async function person(server: ServerProcess, username: string, role: string): Promise<string> {
    const { body } = await send(one, root, 'POST', '/v1/auth/users', { username, role });
    secrets.push(body.password);
    const { status, cookie } = await send(server, '', 'POST', '/v1/auth/login', { username, password: body.password });
    expect(status).toBe(200);
    return cookie;
  }

  /** An open watch; `ended` resolves with the reason that the server gives, and the time it took from now. */
  async function watch(server: ServerProcess, cookie: string) {
    const response = await fetch(`${server.url}/v1/agents/watch`, { headers: { cookie } });
    expect(response.status).toBe(200);
    const ended = (async () => {
      let text = '';
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
      return /^event: close\ndata: (.*)$/m.exec(text)?.[1] ?? text.slice(-200);
    })();
    return { ended };
  }

  beforeAll(async () => {
    postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    directory = mkdtempSync(join(tmpdir(), 'svc-people-'));
    audit = join(directory, 'audit.jsonl');
    const args = ['--auth-mode', 'native', '--audit-log', audit];
    const env = { SVC_SETUP_TOKEN: SETUP };
    one = await startServerProcess({ args: [...args, '--embedded-worker'], env, databaseUrl });
    two = await startServerProcess({ args, env, databaseUrl });
    const setUp = await send(one, '', 'POST', '/v1/auth/setup', { username: 'root', password: ROOT_PASSWORD, setup_token: SETUP });
    expect(setUp.status).toBe(201);
    root = setUp.cookie;
  });
  afterAll(async () => {
    await Promise.all([one?.dispose(), two?.dispose()]);
    await postgres?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  test.each<[string, (name: string, cookie: string) => Promise<Answer>]>([
    ['the deletion of the user', (name) => send(one, root, 'DELETE', `/v1/auth/users/${name}`)],
    ['a reset password', (name) => send(one, root, 'POST', '/v1/auth/admin/reset-password', { username: name })],
    [
      'the end of the sign-in',
      async (name) => {
        const { body } = await send(one, root, 'GET', `/v1/auth/sessions?username=${name}`);
        return send(one, root, 'DELETE', `/v1/auth/sessions/${body.items[0].id}`);
      },
    ],
    ['the logout', (_name, cookie) => send(one, cookie, 'POST', '/v1/auth/logout')],
  ])('a stream on one server ends with %s on another', async (title, revoke) => {
    const name = title.replaceAll(' ', '-');
    const cookie = await person(two, name, 'reader');
    const { ended } = await watch(two, cookie);
    const other = await watch(two, root);
    const { status, body } = await revoke(name, cookie);
    if (typeof body.password === 'string') secrets.push(body.password);
    expect(status).toBe(200);
    expect(await ended).toContain('unauthorized');
    const stays = await Promise.race([other.ended, new Promise((resolve) => setTimeout(resolve, 100, 'open'))]);
    expect(stays).toBe('open');
    expect((await send(two, cookie, 'GET', '/v1/agents')).status).toBe(401);
  });

  test('an approval records the user who decided it', async () => {
    const cookie = await person(two, 'decider', 'approver');
    const post = async (plural: string, metadata: object, spec: object) => {
      const { status, body } = await send(one, root, 'POST', `/v1/${plural}`, { metadata, spec });
      if (status >= 300) throw new Error(JSON.stringify(body));
    };
    await post('model-endpoints', { name: 'mock' }, { provider: 'mock' });
    await post('agents', { name: 'writer' }, { model_ref: 'mock', prompt: 'Write.' });
    await post(
      'agent-systems',
      { name: 'reviewed' },
      { agents: ['writer'], completion_review: { checkpoint_id: 'final', reason: 'Read it.' } },
    );
    await post('tasks', { name: 'job' }, { system: 'reviewed' });
    let name = '';
    await expect
      .poll(async () => (name = (await send(two, cookie, 'GET', '/v1/task-approvals')).body[0]?.metadata.name ?? ''))
      .not.toBe('');
    expect((await send(two, cookie, 'POST', `/v1/task-approvals/${name}/approve`, { comment: 'fine' })).status).toBe(200);
    const { body } = await send(one, root, 'GET', `/v1/task-approvals/${name}`);
    expect(body.status).toMatchObject({ phase: 'Approved', decided_by: 'decider' });
  });

  test('the audit log has a line for each change of users, and no secret', async () => {
    const actions = () =>
      readFileSync(audit, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { action: string }).action);
    const wanted = [
      'user.setup',
      'user.create',
      'user.reset_password',
      'user.delete',
      'session.create',
      'session.delete',
      'approval.decide',
    ];
    await expect.poll(actions).toEqual(expect.arrayContaining(wanted));
    const lines = readFileSync(audit, 'utf8');
    expect(secrets.filter((secret) => secret !== '' && lines.includes(secret))).toEqual([]);
  });
});
