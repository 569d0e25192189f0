// svcctl auth can-i against a real server: what is read, and the exit codes scripts branch on.
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';
import { runCli } from '../program/program.ts';

let server: TestServer;

async function svcctl(argv: readonly string[], stdin = ''): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        printed[name] += chunk.toString();
        done();
      },
    });
  const env = { SVCCTL_SERVER: server.url, SVCCTL_NAMESPACE: 'team', XDG_CONFIG_HOME: '/nowhere' };
  const terminal = {
    stdin: Readable.from([stdin]),
    stdout: into('out'),
    stderr: into('err'),
    env,
    cwd: '/',
    onInterrupt: () => () => undefined,
  };
  return { code: await runCli(argv, terminal), ...printed };
}

const manifest = (kind: string, name: string, spec: object) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });
const MANIFESTS = [
  manifest('Tool', 'mail', { type: 'http', endpoint: 'https://mail.example', operation_classes: ['read', 'delete'] }),
  manifest('ModelEndpoint', 'm', { provider: 'mock' }),
  manifest('Agent', 'writer', { model_ref: 'm', tools: ['mail'] }),
  manifest('AgentSystem', 'research', { agents: ['writer'] }),
  manifest('AgentPolicy', 'limits', { target_systems: ['research'], blocked_tools: ['mail'], max_tokens_per_run: 900 }),
  manifest('ToolPermission', 'mail', {
    operation_rules: [{ operation_class: 'read' }, { operation_class: 'delete', verdict: 'approval_required' }],
  }),
];

beforeAll(async () => {
  server = await startTestServer();
  expect(await svcctl(['apply', '-f', '-'], MANIFESTS.join('\n---\n'))).toMatchObject({ code: 0, err: '' });
});
afterAll(() => server.stop());

test.each([
  ['yes', 0, ['--operation', 'read']],
  ['needs approval', 7, []],
  ['no', 1, ['--system', 'research']],
])('%s is exit code %i', async (word, code, flags) => {
  const result = await svcctl(['auth', 'can-i', 'writer', 'mail', ...flags]);
  expect({ code: result.code, word: result.out.split('\n')[0] }).toEqual({ code, word });
});

test('whoami prints name and role, and needs a token where the server does', async () => {
  const source = 'none: the server requires no token';
  expect(await svcctl(['auth', 'whoami'])).toEqual({
    code: 0,
    out: `Name:     anonymous\nRole:     admin\nToken:    ${source}\nServer:   ${server.url}\n`,
    err: '',
  });
  expect(JSON.parse((await svcctl(['auth', 'whoami', '-o', 'json'])).out)).toMatchObject({ name: 'anonymous', role: 'admin' });
  const secured = await startTestServer([], { SVC_API_TOKENS: 'ann:a-token-of-20-characters:reader' });
  try {
    const asked = (...argv: string[]) => svcctl(['auth', 'whoami', '--server', secured.url, ...argv]);
    expect((await asked('--token', 'a-token-of-20-characters')).out).toMatch(/^Name: +ann\nRole: +reader\nToken: +--token\n/);
    expect(await asked()).toMatchObject({ code: 4, out: '', err: expect.stringMatching(/^error: .* requires a token\nhint: set SVC_API/) });
  } finally {
    await secured.stop();
  }
});

test('with a verb and a kind it answers for the role of the caller', async () => {
  expect(await svcctl(['auth', 'can-i', 'create', 'tasks'])).toEqual({
    code: 0,
    out: 'yes\nWhy:   create needs role writer; you have role admin\n',
    err: '',
  });
  const secured = await startTestServer([], { SVC_API_TOKENS: 'ann:a-token-of-20-characters:reader' });
  try {
    const asked = (...argv: string[]) => svcctl(['auth', 'can-i', ...argv, '--server', secured.url, '--token', 'a-token-of-20-characters']);
    expect(await asked('delete', 'task/one')).toMatchObject({
      code: 1,
      out: 'no\nWhy:   delete needs role writer; you have role reader\n',
    });
    expect(JSON.parse((await asked('list', 'agents', '-o', 'json')).out)).toMatchObject({ allowed: true, verb: 'list', kind: 'Agent' });
    expect(await asked('create', 'mail')).toMatchObject({ code: 1, out: expect.stringContaining('create does not exist') });
    expect((await svcctl(['auth', 'can-i', 'get', 'tasks', '--server', secured.url])).code).toBe(4);
  } finally {
    await secured.stop();
  }
});

test('the reasons are a list of what was examined', async () => {
  const { out } = await svcctl(['auth', 'can-i', 'writer', 'mail', '--system', 'research']);
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    'no',
    'Why:      AgentPolicy team/limits blocks Tool team/mail for this run',
    'Reason:   policy_violation, tool_blocked',
    'Rule:     AgentPolicy team/limits spec.blocked_tools[0]',
    'Model:    m: yes, no policy restricts the models of this run, so m may be called',
    'Tokens:   at most 900 in a run',
    'Examined:',
    '  x AgentPolicy team/limits blocks Tool team/mail for this run',
    '  - ToolPermission team/mail requires no permission',
    '  + ToolPermission team/mail says allow for read',
    '  ? ToolPermission team/mail says approval_required for delete',
    '  - AgentPolicy team/limits allows every model',
    '  - the run may use 900 tokens in all',
    '',
  ]);
});

test('json and yaml are the answer as it is, with the same exit code', async () => {
  const json = await svcctl(['auth', 'can-i', 'team/writer', 'mail', '-o', 'json']);
  const yaml = await svcctl(['auth', 'can-i', 'team/writer', 'mail', '-o', 'yaml']);
  expect([json.code, yaml.code]).toEqual([7, 7]);
  expect(JSON.parse(json.out)).toMatchObject({ verdict: 'approval_required', approval: { ttl: '10m', operation_class: 'delete' } });
  expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
});

test('an agent that does not exist gets nothing; an invalid class is wrong usage', async () => {
  expect(await svcctl(['auth', 'can-i', 'nobody', 'mail'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('Agent team/nobody does not exist'),
  });
  expect((await svcctl(['auth', 'can-i', 'writer', 'mail', '--operation', 'erase'])).code).toBe(2);
  expect((await svcctl(['auth', 'can-i', 'writer', 'mail', '-o', 'wide'])).code).toBe(2);
});

test('names of agents and tools complete', async () => {
  // svcctl waits less than a second for names from the server: on a busy machine it offers none.
  const complete = async (...words: string[]) => (await svcctl(['__complete', '--', 'auth', 'can-i', ...words])).out.trim();
  await expect.poll(() => complete('')).toBe('writer');
  await expect.poll(() => complete('writer', '')).toBe('mail');
});

test('can-i follows a rule that was applied or deleted before it', async () => {
  const word = async () => (await svcctl(['auth', 'can-i', 'writer', 'mail', '--operation', 'read'])).out.split('\n')[0];
  const closed = manifest('ToolPermission', 'closed', { tool_ref: 'mail', required_permissions: ['x'] });
  expect(await word()).toBe('yes');
  await svcctl(['apply', '-f', '-'], closed);
  expect(await word()).toBe('no');
  await svcctl(['delete', 'tool-permission/closed']);
  expect(await word()).toBe('yes');
});
