import { describe, expect, test } from 'vitest';
import type { CallSubject, CallVerdict } from '../engine/ports.ts';
import type { StoredObject } from '../store/store.ts';
import { call, permission, policy, role, ruleBook } from '../testing/governance-rules.ts';
import { judgeCall } from './judge-call.ts';
import type { DefaultVerdict } from './outcome.ts';

function judge(rules: readonly StoredObject[], subject: CallSubject = call(), defaultVerdict: DefaultVerdict = 'allow'): CallVerdict {
  return judgeCall(ruleBook(...rules), subject, defaultVerdict);
}

/** `allow by kind name path`, `deny code reason by …`, `ask operation ttl by …`. */
function inShort(verdict: CallVerdict): string {
  const { kind, name, path } = verdict.rule;
  const by = `by ${[kind, name, path].filter((part) => part !== undefined).join(' ')}`;
  if (verdict.verdict === 'allow') return `allow ${by}`;
  if (verdict.verdict === 'deny') return `deny ${verdict.reason} ${by}`;
  return `ask ${verdict.operation} ${verdict.ttlMs / 1000}s ${by}`;
}

describe('without a permission that governs the call', () => {
  test.each([
    ['allow', 'allow by default --default-tool-verdict'],
    ['deny', 'deny default_deny by default --default-tool-verdict'],
  ] as const)('the server’s default applies: %s', (defaultVerdict, expected) => {
    expect(inShort(judge([], call(), defaultVerdict))).toBe(expected);
  });

  test.each([
    ['of another tool', permission('other', {})],
    ['of the tool of that name in another namespace', permission('elsewhere/mail', {})],
    ['for another action', permission('mail', { action: 'configure' })],
    ['scoped to other agents', permission('mail', { apply_mode: 'scoped', target_agents: ['reader', 'other/writer'] })],
  ])('a permission %s does not count', (_, rule) => {
    expect(inShort(judge([rule], call(), 'deny'))).toContain('default_deny');
  });
});

describe('which permission governs which call', () => {
  test.each([
    ['by its own name', permission('mail', {})],
    ['by name', permission('p', { tool_ref: 'mail' })],
    ['by namespace and name', permission('elsewhere/p', { tool_ref: 'team/mail' })],
    ['for every action', permission('mail', { action: '*' })],
    ['for the action in other letters', permission('mail', { action: 'Invoke' })],
    ['scoped to the agent', permission('mail', { apply_mode: 'scoped', target_agents: ['writer'] })],
    [
      'scoped to the agent from another namespace',
      permission('b/p', { tool_ref: 'team/mail', apply_mode: 'scoped', target_agents: ['team/writer'] }),
    ],
  ])('%s', (_, rule) => {
    expect(inShort(judge([rule], call(), 'deny'))).toBe(`allow by ToolPermission ${rule.name}`);
  });

  test('an agent of the same name in another namespace is another agent', () => {
    const rule = permission('mail', { apply_mode: 'scoped', target_agents: ['writer'] });
    const stranger = call({ agent: { namespace: 'other' } });
    expect(inShort(judge([rule], stranger, 'deny'))).toContain('default_deny');
  });
});

// ---------------------------------------------------------------- match_mode × apply_mode × roles × operation rules

const ROLES = {
  none: { rules: [], roles: [] },
  one: { rules: [role('sender', 'Mail:Send')], roles: ['sender'] },
  both: { rules: [role('sender', 'mail:send'), role('ns/reader', 'MAIL:READ')], roles: ['sender', 'ns/reader'] },
  missing: { rules: [role('sender', 'mail:send', 'mail:read')], roles: ['sender', 'ghost'] },
} as const;
const OPERATIONS = {
  none: [],
  allow: [{ operation_class: '*', verdict: 'allow' }],
  ask: [{ operation_class: 'read', verdict: 'approval_required' }],
  deny: [{ operation_class: 'read', verdict: 'deny' }],
  other: [{ operation_class: 'admin', verdict: 'deny' }],
} as const;
const HELD: Readonly<Record<string, number>> = { none: 0, one: 1, both: 2, missing: 2 };

const cases = (['all', 'any'] as const).flatMap((match) =>
  (['global', 'scoped'] as const).flatMap((apply) =>
    ([0, 1, 2] as const).flatMap((required) =>
      (Object.keys(ROLES) as (keyof typeof ROLES)[]).flatMap((roles) =>
        (Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).map((operations) => ({ match, apply, required, roles, operations })),
      ),
    ),
  ),
);

/** The rules of the specification in their shortest form, as against the code's. */
function expected({ match, required, roles, operations }: (typeof cases)[number]): string {
  if (roles === 'missing') return 'role_missing';
  const enough = required === 0 || (match === 'all' ? (HELD[roles] ?? 0) >= required : (HELD[roles] ?? 0) > 0);
  if (!enough) return 'permission_missing';
  if (operations === 'deny') return 'operation_denied';
  return operations === 'ask' ? 'approval_required' : 'allow';
}

test.each(cases)('match $match, $apply, $required required, roles $roles, operation rules $operations', (each) => {
  const rule = permission('mail', {
    match_mode: each.match,
    apply_mode: each.apply,
    ...(each.apply === 'scoped' && { target_agents: ['writer'] }),
    required_permissions: ['mail:send', 'mail:read'].slice(0, each.required),
    operation_rules: OPERATIONS[each.operations],
  });
  const { rules, roles } = ROLES[each.roles];
  const verdict = judge([rule, ...rules], call({ agent: { roles } }));
  expect(verdict.verdict === 'deny' ? verdict.reason : verdict.verdict).toBe(expected(each));
});

test('a missing role denies a call of a tool without any ToolPermission', () => {
  expect(inShort(judge([], call({ agent: { roles: ['ghost'] } }), 'allow'))).toContain('role_missing');
  const inAdvance = call({ agent: { roles: ['ghost'], allowedTools: ['mail'] } });
  expect(inShort(judge([], inAdvance, 'allow'))).toContain('allow');
});

// ---------------------------------------------------------------- operation rules

const rules = (...operation_rules: (readonly [string, string])[]) =>
  permission('mail', { operation_rules: operation_rules.map(([operation_class, verdict]) => ({ operation_class, verdict })) });
const at = (index: number) => `by ToolPermission mail spec.operation_rules[${index}]`;

test.each([
  [
    'the strictest of several matching rules',
    [
      ['*', 'allow'],
      ['read', 'deny'],
    ],
    ['read'],
    `deny operation_denied ${at(1)}`,
  ],
  [
    'deny over approval',
    [
      ['read', 'approval_required'],
      ['*', 'deny'],
    ],
    ['read'],
    `deny operation_denied ${at(1)}`,
  ],
  [
    'approval over allow',
    [
      ['read', 'allow'],
      ['*', 'approval_required'],
    ],
    ['read'],
    `ask read 600s ${at(1)}`,
  ],
  [
    'the strictest of the tool’s classes',
    [
      ['read', 'allow'],
      ['delete', 'approval_required'],
    ],
    ['read', 'delete'],
    `ask delete 600s ${at(1)}`,
  ],
  [
    'the gravest class that asks',
    [
      ['read', 'approval_required'],
      ['admin', 'approval_required'],
    ],
    ['read', 'admin'],
    `ask admin 600s ${at(1)}`,
  ],
  ['the gravest class under one rule', [['*', 'approval_required']], ['delete', 'read'], `ask delete 600s ${at(0)}`],
  [
    'a class of its own making under *',
    [
      ['*', 'deny'],
      ['read', 'allow'],
    ],
    ['teleport'],
    `deny operation_denied ${at(0)}`,
  ],
  [
    'every class for a tool that names none',
    [
      ['admin', 'deny'],
      ['*', 'allow'],
    ],
    [],
    `deny operation_denied ${at(0)}`,
  ],
] as const)('operation rules: %s', (_, given, operationClasses, expected) => {
  expect(inShort(judge([rules(...given)], call({ tool: { operationClasses } })))).toBe(expected);
});

test.each([
  ['allow', `allow ${at(0)}`],
  ['deny', 'deny default_deny by default --default-tool-verdict'],
] as const)('a class that no rule is about gets the default: %s', (defaultVerdict, expected) => {
  const verdict = judge([rules(['read', 'allow'])], call({ tool: { operationClasses: ['read', 'write'] } }), defaultVerdict);
  expect(inShort(verdict)).toBe(expected);
});

test('only the requested operation is judged', () => {
  const given = [rules(['read', 'allow'], ['delete', 'deny'])];
  const tool = { operationClasses: ['read', 'delete'] };
  expect(inShort(judge(given, call({ tool, operation: 'read' })))).toBe(`allow ${at(0)}`);
  expect(inShort(judge(given, call({ tool, operation: 'delete' })))).toBe(`deny operation_denied ${at(1)}`);
});

// ---------------------------------------------------------------- several permissions

const ask = (name: string, approval?: object) =>
  permission(name, { tool_ref: 'mail', operation_rules: [{ verdict: 'approval_required' }], ...(approval && { approval }) });

test('the strictest of all permissions that govern the call wins', () => {
  const open = permission('a-open', { tool_ref: 'mail' });
  const closed = permission('z-closed', { tool_ref: 'mail', required_permissions: ['x'] });
  expect(inShort(judge([open, ask('m-ask')]))).toBe('ask read 600s by ToolPermission m-ask spec.operation_rules[0]');
  expect(inShort(judge([open, ask('m-ask'), closed]))).toBe('deny permission_missing by ToolPermission z-closed spec.required_permissions');
});

test('several rules that ask use the shortest time and show each reason once', () => {
  const verdict = judge([ask('a', { ttl: '1h', reason: 'mail leaves' }), ask('b', { ttl: '90s' }), ask('c', { reason: ' mail leaves ' })]);
  expect(verdict).toMatchObject({
    verdict: 'approval_required',
    ttlMs: 90_000,
    rule: { name: 'b' },
    reason: 'mail leaves; ToolPermission team/b asks for an approval of read calls',
  });
});

test('several rules that ask for different classes show the gravest class', () => {
  const asking = (name: string, operation_class: string, ttl: string) =>
    permission(name, { tool_ref: 'mail', operation_rules: [{ operation_class, verdict: 'approval_required' }], approval: { ttl } });
  const subject = call({ tool: { operationClasses: ['read', 'delete'] } });
  expect(judge([asking('a', 'delete', '1h'), asking('b', 'read', '1m')], subject)).toMatchObject({ operation: 'delete', ttlMs: 60_000 });
});

test('a question names each rule that asks, its last writer, and whether that writer may decide', () => {
  const ask = (name: string, approval: object, writer: object) => ({
    ...permission(name, { tool_ref: 'mail', operation_rules: [{ operation_class: '*', verdict: 'approval_required' }], approval }),
    ...writer,
  });
  const rule = (name: string) => ({ kind: 'ToolPermission', namespace: 'team', name });
  expect(judge([ask('a', { require_other: true }, { specBy: 'eve' }), ask('b', {}, {})])).toMatchObject({
    askedBy: [{ ...rule('a'), by: 'eve', require_other: true }, rule('b')],
  });
});

// ---------------------------------------------------------------- allowed_tools

test.each([
  ['by the name the agent uses', ['mail'], call()],
  ['by namespace and name', ['team/mail'], call()],
  ['of another namespace by namespace and name', ['b/mail'], call({ tool: { namespace: 'b', ref: 'b/mail' } })],
])('allowed_tools %s passes roles, permissions and approvals', (_, allowedTools, subject) => {
  const given = [permission('mail', { required_permissions: ['x'] }), permission('b/mail', { required_permissions: ['x'] }), ask('asks')];
  const verdict = judge(given, { ...subject, agent: { ...subject.agent, allowedTools, roles: ['ghost'] } }, 'deny');
  expect(verdict).toMatchObject({
    verdict: 'allow',
    rule: { kind: 'Agent', namespace: 'team', name: 'writer', path: 'spec.allowed_tools[0]' },
  });
});

test('allowed_tools never passes a policy', () => {
  const verdict = judge([policy('p', { apply_mode: 'global', blocked_tools: ['mail'] })], call({ agent: { allowedTools: ['mail'] } }));
  expect(verdict).toMatchObject({
    verdict: 'deny',
    code: 'policy_violation',
    reason: 'tool_blocked',
    rule: { path: 'spec.blocked_tools[0]' },
  });
});

test('allowed_tools of the same name in another namespace allows nothing', () => {
  for (const ref of ['b/mail', 'mail']) {
    const subject = call({ agent: { allowedTools: ['mail'] }, tool: { namespace: 'b', ref } });
    expect(judge([], subject, 'deny').verdict).toBe('deny');
  }
});

// ---------------------------------------------------------------- policies

const blocks = (ref: string, spec: object) => policy(ref, { blocked_tools: ['team/mail'], ...spec });

test.each([
  ['global in the namespace of the run', blocks('p', { apply_mode: 'global' }), true],
  ['global in another namespace', blocks('other/p', { apply_mode: 'global' }), false],
  ['scoped to nothing', blocks('p', {}), false],
  ['scoped to the system', blocks('p', { target_systems: ['research'] }), true],
  ['scoped to the system from another namespace', blocks('other/p', { target_systems: ['team/research'] }), true],
  ['scoped to a system of that name elsewhere', blocks('other/p', { target_systems: ['research'] }), false],
  ['scoped to the task', blocks('p', { target_tasks: ['nightly'] }), true],
  ['scoped to a task of the system’s name', blocks('p', { target_tasks: ['research'] }), false],
  [
    'that blocks a tool of that name in its own namespace',
    policy('other/p', { target_systems: ['team/research'], blocked_tools: ['mail'] }),
    false,
  ],
])('a policy %s', (_, rule, denies) => {
  expect(judge([rule]).verdict).toBe(denies ? 'deny' : 'allow');
});

test('a global policy governs runs of its namespace by their task or by their system', () => {
  const rule = blocks('ops/p', { apply_mode: 'global' });
  const ops = { namespace: 'ops', name: 'x' };
  expect(judge([rule], { ...call(), task: ops }).verdict).toBe('deny');
  expect(judge([rule], { ...call(), system: ops }).verdict).toBe('deny');
});

test('where neither task nor system is named the global policies are those of the agent’s namespace', () => {
  const { agent, tool } = call();
  expect(judge([blocks('p', { apply_mode: 'global' })], { agent, tool }).verdict).toBe('deny');
  expect(judge([blocks('other/p', { apply_mode: 'global' })], { agent, tool }).verdict).toBe('allow');
});

// ---------------------------------------------------------------- rules that cannot be read

test.each([
  ['a policy with an unknown mode', policy('p', { apply_mode: 'sometimes' }, true), 'AgentPolicy'],
  ['a policy with targets that are no list', policy('elsewhere/p', { target_systems: 'research' }, true), 'AgentPolicy'],
  ['a policy with a field of another version', policy('p', { apply_mode: 'global', blocked_hours: ['22-06'] }, true), 'AgentPolicy'],
  ['a policy with a null', policy('p', { apply_mode: 'global', blocked_tools: null }, true), 'AgentPolicy'],
  ['a policy without a spec', policy('p', null, true), 'AgentPolicy'],
  ['a policy with a negative budget', policy('p', { apply_mode: 'global', max_tokens_per_run: -1 }, true), 'AgentPolicy'],
  ['a permission with an unknown verdict', permission('mail', { operation_rules: [{ verdict: 'perhaps' }] }, true), 'ToolPermission'],
  ['a permission with an unknown match', permission('mail', { match_mode: 'most' }, true), 'ToolPermission'],
  ['a permission scoped to nobody', permission('mail', { apply_mode: 'scoped' }, true), 'ToolPermission'],
  ['a permission with an invalid duration', permission('mail', { approval: { ttl: 'soon' } }, true), 'ToolPermission'],
  ['a permission of a tool that is no text', permission('elsewhere/p', { tool_ref: 7 }, true), 'ToolPermission'],
  ['a permission whose spec is a list', permission('elsewhere/p', [], true), 'ToolPermission'],
])('%s denies what it may govern, and names the mistake', (_, rule, kind) => {
  const verdict = judge([rule]);
  expect(verdict).toMatchObject({ verdict: 'deny', reason: 'rule_unreadable', rule: { kind, name: rule.name } });
  expect(verdict.verdict === 'deny' && verdict.message).toMatch(
    /^\w+ \w+\/\w+ cannot be read \(spec.*\), so what it may govern is denied; correct it or delete it$/,
  );
});

test.each([
  ['a policy for other runs', policy('p', { target_systems: ['other'], max_tokens_per_run: 'many' }, true)],
  ['a policy for the runs of another namespace', policy('b/p', { apply_mode: 'global', max_tokens_per_run: 'many' }, true)],
  ['a permission of another tool', permission('other', { match_mode: 'most' }, true)],
])('%s that cannot be read affects no other call', (_, rule) => {
  expect(judge([rule]).verdict).toBe('allow');
});

test('a role that cannot be read denies', () => {
  const broken = { ...role('sender', 'x'), spec: { permissions: 'x' } } as unknown as StoredObject;
  const subject = call({ agent: { roles: ['sender'] } });
  const denied = { verdict: 'deny', reason: 'rule_unreadable', rule: { kind: 'AgentRole' } };
  for (const rules of [[permission('mail', { required_permissions: ['x'] })], [permission('mail', {})], []])
    expect(judge([broken, ...rules], subject)).toMatchObject(denied);
});

// ---------------------------------------------------------------- findings

test('every checked rule is listed in order, past the first denial too', () => {
  const given = [
    policy('calm', { apply_mode: 'global' }),
    policy('strict', { target_systems: ['research'], blocked_tools: ['mail'] }),
    role('sender', 'mail:send'),
    permission('mail', {
      required_permissions: ['mail:send'],
      operation_rules: [
        { operation_class: 'read', verdict: 'approval_required' },
        { operation_class: 'admin', verdict: 'deny' },
      ],
    }),
    permission('others', { tool_ref: 'mail', apply_mode: 'scoped', target_agents: ['reader'] }),
  ];
  const { findings, ...verdict } = judge(given, call({ agent: { roles: ['sender'] }, tool: { operationClasses: ['read', 'write'] } }));
  expect(verdict).toMatchObject({ verdict: 'deny', reason: 'tool_blocked' });
  expect(findings.map(({ effect, message }) => `${effect}: ${message}`)).toEqual([
    'none: AgentPolicy team/calm does not block Tool team/mail',
    'deny: AgentPolicy team/strict blocks Tool team/mail for this run',
    'none: AgentRole team/sender gives mail:send',
    'none: Agent team/writer holds what ToolPermission team/mail requires',
    'approval_required: ToolPermission team/mail says approval_required for read',
    'none: ToolPermission team/mail has a rule for admin, which this call is not',
    "allow: no operation rule of ToolPermission team/mail is about write, so the server's default holds: allow",
    'none: ToolPermission team/others governs other agents than Agent team/writer',
  ]);
});
