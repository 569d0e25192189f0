// Audit log of a real svcd: changes of tokens, decisions, refused requests, denied calls of runs; and a valid chain of decisions.
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, SOLO_SYSTEM, soloTask } from '../../bench/task-load.ts';
import { startSvcctl } from '../../server/testing/run-svcctl.ts';
import { runSvcd, startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

const ADMIN = 'the-key-of-the-admin';
const env = { SVC_API_TOKENS: `root:${ADMIN}:admin,watcher:reading-token:reader` };

interface Line {
  readonly component: string;
  readonly action: string;
  readonly outcome: string;
  readonly principal: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly [other: string]: unknown;
}

let directory: string;
let file: string;
let server: ServerProcess;
let made = '';
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  file = join(directory, 'audit.jsonl');
  server = await startServerProcess({ args: ['--audit-log', file, '--allow-private-tool-endpoints'], env });
});
afterAll(async () => {
  await server.dispose();
  rmSync(directory, { recursive: true });
});

const lines = async (): Promise<Line[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
/** Each line of an action, shortened. */
const linesOf = async (action: string) =>
  (await lines())
    .filter((line) => line.action === action)
    .map(
      ({ outcome, principal, resource }) =>
        `${outcome} ${String(principal['name'])} ${String(resource['kind'])} ${String(resource['name'])}`,
    );

async function send(method: string, path: string, options: { body?: object; token?: string } = {}) {
  const { body, token = ADMIN } = options;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: await response.json() };
}
async function put(plural: string, name: string, spec: object): Promise<void> {
  const answer = await send('POST', `/v1/${plural}`, { body: { metadata: { name }, spec } });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}
/** A system of its name with one agent that calls the tool once. */
async function system(name: string, tool: string): Promise<void> {
  await put('tools', tool, { type: 'http', endpoint: 'http://127.0.0.1:1/', runtime: { retry: { max_attempts: 1 } } });
  await put('model-endpoints', name, {
    provider: 'mock',
    options: { script: `- tool: ${tool}\n  input: { text: INPUT-TEXT }\n- text: done\n` },
  });
  await put('agents', name, { model_ref: name, tools: [tool] });
  await put('agent-systems', name, { agents: [name], graph: { [name]: {} } });
  await put('tasks', name, { system: name });
}
const phaseOf = async (name: string) => (await send('GET', `/v1/tasks/${name}`)).body.status.phase as string;

test('records changes of tokens with their author, refused ones too', async () => {
  const created = await send('POST', '/v1/tokens', { body: { name: 'ci', role: 'writer' } });
  made = created.body.token as string;
  await send('POST', '/v1/tokens', { body: { name: 'ci', role: 'admin' } });
  await send('DELETE', '/v1/tokens/absent');
  await expect.poll(() => linesOf('token.create')).toEqual(['success root Token ci', 'failed root Token ci']);
  await expect.poll(() => linesOf('token.delete')).toEqual(['failed root Token absent']);
  expect((await lines())[0]).toMatchObject({
    timestamp: expect.stringMatching(/Z$/),
    component: 'auth',
    principal: { method: 'bearer', role: 'admin' },
    request_id: expect.any(String),
    details: { token_role: 'writer' },
  });
});

test('records requests refused for their caller; a refused token change only once', async () => {
  await send('GET', '/v1/tasks?namespace=x', { token: 'wrong' });
  await send('POST', '/v1/tokens', { token: 'reading-token', body: { name: 'x', role: 'admin' } });
  await expect.poll(() => linesOf('request')).toEqual(['denied anonymous Path /v1/tasks', 'denied watcher Path /v1/tokens']);
  expect(await linesOf('token.create')).toHaveLength(2);
});

test('records decisions with decider and principal, and an expiry without one', async () => {
  for (const [name, ttl] of Object.entries({ yes: '1h', no: '1h', late: '1s' }))
    await put('tool-approvals', name, { task_ref: 't', tool: 'mail', input: '{"text":"INPUT-TEXT"}', ttl });
  await send('POST', '/v1/tool-approvals/yes/approve', { token: made, body: { decided_by: 'ann', comment: 'COMMENT-TEXT' } });
  await send('POST', '/v1/tool-approvals/no/deny');
  await send('POST', '/v1/tool-approvals/no/deny');
  await expect
    .poll(() => linesOf('approval.decide'))
    .toEqual(['approved ci ToolApproval yes', 'denied root ToolApproval no', 'expired system ToolApproval late']);
  const [yes] = (await lines()).filter(({ action }) => action === 'approval.decide');
  expect(yes?.['request_id']).toEqual(expect.any(String));
  expect(yes?.principal).toEqual({ name: 'ci', method: 'bearer', role: 'writer', on_behalf_of: 'ann' });
});

test('records a governance denial of a run with its rule', async () => {
  await put('agent-policies', 'no-bank', { apply_mode: 'global', blocked_tools: ['bank'] });
  await system('blocked', 'bank');
  await expect.poll(() => phaseOf('blocked')).toBe('Failed');
  await expect.poll(() => linesOf('tool.call')).toEqual(['denied blocked Tool bank']);
  const line = (await lines()).find(({ action }) => action === 'tool.call');
  expect(line).toMatchObject({
    component: 'engine',
    principal: { method: 'run' },
    resource: { kind: 'Tool', namespace: 'default', name: 'bank' },
    details: { task: 'default/blocked', code: 'policy_violation', rule: expect.stringContaining('AgentPolicy default/no-bank') },
  });
});

test('a call that needs approval is approved with a changed input, and the decision chain verifies after a kill', async () => {
  await put('tool-permissions', 'mail', { tool_ref: 'mail', operation_rules: [{ verdict: 'approval_required' }] });
  await system('asking', 'mail');
  await expect.poll(() => phaseOf('asking')).toBe('WaitingApproval');
  const cwd = directory;
  const svcctl = (...argv: string[]) => startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: server.url, SVC_API_TOKEN: ADMIN } }).done;
  const name = (await svcctl('approvals', 'list', '-o', 'name')).out.trim();
  const shown = (await svcctl('approvals', 'show', name)).out;
  expect(shown).toContain('"text": "INPUT-TEXT"');
  expect(shown).toMatch(/^Asked by: +ToolPermission default\/mail spec\.operation_rules\[0\]$/m);
  expect(await svcctl('approvals', 'approve', name, '--input-json', '{"text":"EDITED-TEXT"}')).toMatchObject({
    code: 0,
    out: `${name} approved with another input\n`,
  });
  expect((await svcctl('approvals', 'show', name)).out).toMatch(/^Record: +4 \(sha256:/m);
  await server.end('SIGKILL');
  server = await startServerProcess({ args: ['--audit-log', file, '--allow-private-tool-endpoints'], env, dataDir: server.dataDir });
  expect(await svcctl('decisions', 'verify')).toMatchObject({ code: 0, out: expect.stringMatching(/^Records 1 to 4 are whole/) });
  expect(JSON.parse((await svcctl('decisions', 'show', '4', '-o', 'json')).out)).toMatchObject({
    type: 'tool',
    decision: 'approved',
    tool: 'default/mail',
    proposed_input: { text: 'INPUT-TEXT' },
    edited_input: { text: 'EDITED-TEXT' },
    call_hash: expect.stringMatching(/^sha256:/),
    rule: { kind: 'ToolPermission', name: 'mail' },
    decider: { name: 'root', role: 'admin' },
  });
  await expect.poll(() => linesOf('approval.decide')).toHaveLength(4);
});

test('contains no secret, input or comment, and only its owner may read it', async () => {
  const text = await readFile(file, 'utf8');
  for (const secret of [ADMIN, made, 'reading-token', 'wrong', 'INPUT-TEXT', 'EDITED-TEXT', 'COMMENT-TEXT'])
    expect(text).not.toContain(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('an audit file that cannot be opened stops the start with one line', async () => {
  const path = join(directory, 'absent', 'audit.jsonl');
  const { code, stderr } = await runSvcd(['--data-dir', join(directory, 'data'), '--audit-log', path]);
  expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
  expect(stderr).toContain(`--audit-log: cannot open ${path} for appending: ENOENT`);
});

test('removal of finished tasks by retention is a line of the audit log and a metric', { timeout: 60_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  const auditLog = join(dataDir, 'retention.jsonl');
  const first = await startServerProcess({ dataDir });
  for (const object of SOLO_SYSTEM) await post(`${first.url}/v1/apply`, object);
  for (const name of ['a', 'b', 'c']) await post(`${first.url}/v1/tasks`, soloTask(name));
  const tasks = async () => (await (await fetch(`${first.url}/v1/tasks`)).json()) as { status: { phase: string } }[];
  await expect.poll(async () => (await tasks()).map(({ status }) => status.phase), { timeout: 30_000 }).toEqual(Array(3).fill('Succeeded'));
  await first.end();
  const second = await startServerProcess({ dataDir, args: ['--task-retention', '1', '--audit-log', auditLog] });
  try {
    const metrics = async () => (await fetch(`${second.url}/metrics`)).text();
    await expect.poll(metrics, { timeout: 30_000 }).toContain('svc_tasks_removed_total 2');
    const line = (await readFile(auditLog, 'utf8')).split('\n').find((each) => each.includes('task.expire')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      outcome: 'success',
      principal: { name: 'system:controllers', method: 'system' },
      resource: { kind: 'Task', namespace: 'default', name: '*' },
      details: { removed: 2 },
    });
  } finally {
    await second.dispose();
  }
});
