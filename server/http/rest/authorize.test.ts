import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
const TOKENS = 'r1:reader:reader,a1:admin:admin,x1:a2a:a2a:team/research';
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const OBJECTS = [
  ['ModelEndpoint', 'team', 'fast', { provider: 'mock', default_model: 'fast-1' }],
  ['Tool', 'team', 'mail', { type: 'http', endpoint: 'https://mail.example', operation_classes: ['read', 'delete'] }],
  ['Tool', 'team', 'open', { type: 'http', endpoint: 'https://open.example' }],
  ['Tool', 'team', 'unlisted', { type: 'http', endpoint: 'https://unlisted.example' }],
  ['Agent', 'team', 'writer', { model_ref: 'fast', tools: ['mail', 'open', 'gone'], roles: ['sender'], allowed_tools: ['open'] }],
  ['Memory', 'team', 'notes', { provider: 'in-memory' }],
  ['Memory', 'shared', 'notes', { provider: 'in-memory' }],
  ['Agent', 'team', 'clerk', { model_ref: 'fast', memory: { ref: 'notes', allow: ['read', 'write', 'list'] } }],
  ['Agent', 'team', 'visitor', { model_ref: 'fast', memory: { ref: 'shared/notes', allow: ['ingest'] } }],
  ['Agent', 'team', 'early', { model_ref: 'fast', memory: { ref: 'later', allow: ['read'] } }],
  ['ToolPermission', 'team', 'memory.list', { operation_rules: [{ operation_class: 'read', verdict: 'approval_required' }] }],
  ['ToolPermission', 'team', 'memory.read', { operation_rules: [{ operation_class: 'write', verdict: 'deny' }] }],
  ['ToolPermission', 'shared', 'memory.ingest', { operation_rules: [{ operation_class: 'write', verdict: 'deny' }] }],
  ['Agent', 'team', 'idle', { model_ref: 'none', tools: ['open'] }],
  ['AgentSystem', 'team', 'research', { agents: ['writer'] }],
  ['Task', 'team', 'nightly', { system: 'research' }],
  ['AgentRole', 'team', 'sender', { permissions: ['mail:send'] }],
  [
    'ToolPermission',
    'team',
    'mail',
    {
      required_permissions: ['MAIL:send'],
      operation_rules: [{ operation_class: 'read' }, { operation_class: 'delete', verdict: 'approval_required' }],
      approval: { ttl: '90s', reason: 'mail is gone for good' },
    },
  ],
  ['AgentPolicy', 'team', 'limits', { target_systems: ['research'], blocked_tools: ['open'], allowed_models: ['slow-1'] }],
  ['AgentPolicy', 'team', 'budget', { apply_mode: 'global', max_tokens_per_run: 900 }],
] as const;

beforeAll(async () => {
  http = await startHttpFixture({ apiTokens: TOKENS });
  for (const [kind, namespace, name, spec] of OBJECTS) {
    const plural = {
      Memory: 'memories',
      AgentPolicy: 'agent-policies',
      ModelEndpoint: 'model-endpoints',
      AgentSystem: 'agent-systems',
      AgentRole: 'agent-roles',
      ToolPermission: 'tool-permissions',
    };
    const path = `/v1/${(plural as Record<string, string>)[kind] ?? `${kind.toLowerCase()}s`}?namespace=${namespace}`;
    const { status, text } = await http.send('POST', path, { body: { kind, metadata: { name }, spec }, ...as('admin') });
    expect(status, text).toBe(201);
  }
});
afterAll(() => http.close());

const check = (body: unknown, token = 'reader', query = '') => http.send('POST', `/v1/authorize/check${query}`, { body, ...as(token) });
const ask = async (body: object) => (await check({ namespace: 'team', agent: 'writer', ...body })).body;

test('an access check returns verdict, rule, approval, findings, budget and model', async () => {
  const permission = { kind: 'ToolPermission', namespace: 'team', name: 'mail' };
  const deciding = { ...permission, path: 'spec.operation_rules[1]' };
  const { status, body } = await check({ agent: 'team/writer', tool: 'mail' });
  const { findings, model, token_limit: _budget, ...verdict } = body;
  expect(status).toBe(200);
  expect(verdict).toEqual({
    verdict: 'approval_required',
    reason: 'approval_required',
    message: 'a person has to approve each delete call: mail is gone for good',
    rule: deciding,
    approval: { ttl: '1m30s', reason: 'mail is gone for good', operation_class: 'delete' },
    agent: 'team/writer',
    tool: 'team/mail',
  });
  expect(findings.map(({ rule, effect }: any) => [rule.kind, rule.path, effect])).toEqual([
    ['default', undefined, 'none'],
    ['AgentPolicy', undefined, 'none'],
    ['AgentRole', undefined, 'none'],
    ['ToolPermission', undefined, 'none'],
    ['ToolPermission', 'spec.operation_rules[0]', 'allow'],
    ['ToolPermission', 'spec.operation_rules[1]', 'approval_required'],
  ]);
  expect(model).toMatchObject({ verdict: 'allow', endpoint: 'team/fast', model: 'fast-1' });
});

test.each([
  ['one operation class', { tool: 'mail', operation: 'read' }, 'allow', 'tool_permission'],
  ['a class the tool is not of', { tool: 'mail', operation: 'admin' }, 'allow', 'default'],
  ['a tool allowed in advance', { tool: 'open' }, 'allow', 'allowed_in_advance'],
  ['the same in a governed system', { tool: 'open', system: 'research' }, 'deny', 'tool_blocked'],
  ['the same in a task of that system', { tool: 'open', task: 'nightly' }, 'deny', 'tool_blocked'],
  ['a task that is not there yet', { tool: 'open', task: 'later' }, 'allow', 'allowed_in_advance'],
  ['a tool the agent does not list', { tool: 'unlisted' }, 'deny', 'unsupported_tool'],
  ['a tool of that name elsewhere', { tool: 'default/open' }, 'deny', 'unsupported_tool'],
  ['a listed tool that does not exist', { tool: 'gone' }, 'deny', 'tool_missing'],
  ['an agent that does not exist', { agent: 'nobody', tool: 'mail' }, 'deny', 'agent_missing'],
  ['a system that does not exist', { tool: 'mail', system: 'none' }, 'deny', 'system_missing'],
  ['a system without the agent', { agent: 'idle', tool: 'open', system: 'research' }, 'deny', 'agent_not_in_system'],
  ['an operation on the memory', { agent: 'clerk', tool: 'memory.write' }, 'allow', 'default'],
  [
    'an operation on the memory with a rule for its class',
    { agent: 'clerk', tool: 'memory.list' },
    'approval_required',
    'approval_required',
  ],
  ['an operation on the memory with a rule for another class', { agent: 'clerk', tool: 'memory.read' }, 'allow', 'default'],
  ['an operation on a memory of another namespace', { agent: 'visitor', tool: 'memory.ingest' }, 'deny', 'operation_denied'],
  ['the same with its namespace', { agent: 'visitor', tool: 'shared/memory.ingest' }, 'deny', 'operation_denied'],
  ['an operation that the memory does not allow', { agent: 'clerk', tool: 'memory.search' }, 'deny', 'unsupported_tool'],
  ['an operation without a memory', { tool: 'memory.read' }, 'deny', 'unsupported_tool'],
  ['an operation on a memory that does not exist', { agent: 'early', tool: 'memory.read' }, 'deny', 'memory_missing'],
  ['the choice of a route', { tool: 'route.choose' }, 'allow', 'default'],
])('%s', async (_, body, verdict, reason) => {
  expect(await ask(body)).toMatchObject({ verdict, reason });
});

test.each([
  ['the agent’s model under a policy', { system: 'research' }, { verdict: 'deny', code: 'policy_violation', reason: 'model_not_allowed' }],
  ['another endpoint', { model: 'none' }, { verdict: 'deny', code: 'not_found', reason: 'model_missing' }],
])('the model section: %s', async (_, body, expected) => {
  expect((await ask({ tool: 'mail', ...body })).model).toMatchObject(expected);
});

test('a budget is returned with the policy that sets it', async () => {
  const { token_limit } = await ask({ tool: 'mail' });
  expect(token_limit).toEqual({
    tokens: 900,
    rule: { kind: 'AgentPolicy', namespace: 'team', name: 'budget', path: 'spec.max_tokens_per_run' },
  });
});

test('names without a namespace use the namespace of the query', async () => {
  expect((await check({ agent: 'writer', tool: 'open' }, 'reader', '?namespace=team')).body.verdict).toBe('allow');
  expect((await check({ agent: 'writer', tool: 'open' })).body.reason).toBe('agent_missing');
});

test.each([
  ['an unknown field', { agent: 'a', tool: 't', tol: 'x' }, 'tol'],
  ['no tool', { agent: 'a' }, 'tool'],
  ['a blank agent', { agent: ' ', tool: 't' }, 'agent'],
  ['a field that is no text', { agent: 'a', tool: 7 }, 'tool'],
  ['a name that cannot be one', { agent: 'a/b/c', tool: 't' }, 'agent'],
  ['an invalid operation class', { agent: 'a', tool: 't', operation: 'erase' }, 'operation'],
  ['a namespace that cannot be one', { agent: 'a', tool: 't', namespace: 'A' }, 'namespace'],
])('%s is 400 and named', async (_, body, field) => {
  const { status, body: answer } = await check(body);
  expect({ status, paths: answer.error.details.map(({ path }: any) => path) }).toEqual({ status: 400, paths: [field] });
});

test('a body that is not an object, or none, is 400', async () => {
  expect((await check([])).status).toBe(400);
  expect((await check(undefined)).status).toBe(400);
});

test('readers may check access, other roles and anonymous callers may not', async () => {
  const body = { agent: 'team/writer', tool: 'mail' };
  expect((await check(body, 'a2a')).status).toBe(403);
  expect((await http.send('POST', '/v1/authorize/check', { body })).status).toBe(401);
});
