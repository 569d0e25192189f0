import { expect, test } from 'vitest';
import { approvalOrigin, askerTerm, originMarks, originText, taskOrigin, type OriginSpec, type OriginTask } from './run-origin.ts';

const task = (fields: Partial<OriginTask>): OriginTask => ({ namespace: 'ops', labels: {}, annotations: {}, ...fields });
const session = { 'svc.dev/created-by': 'session', 'svc.dev/session': 'talk' };
const turn = { input: { session_id: 'talk' } };

test.each<[title: string, fields: Partial<OriginTask>, spec: OriginSpec, origin: unknown]>([
  ['a Task of a person', { createdBy: 'ann' }, {}, { door: 'api', askedBy: 'ann' }],
  ['a Task of an unknown creator', {}, {}, { door: 'api' }],
  ['a Task without authentication', { createdBy: 'anonymous' }, {}, { door: 'api' }],
  [
    'a turn',
    { createdBy: 'system:sessions', alsoBy: ['bob', 'ann'], labels: session },
    turn,
    { door: 'session', source: { kind: 'Session', namespace: 'ops', name: 'talk' }, askedBy: 'bob' },
  ],
  [
    'a turn of a chat request, as the API returns it',
    { createdBy: 'system:sessions', labels: { ...session, 'svc.dev/door': 'chat' } },
    turn,
    { door: 'chat', source: { kind: 'Session', namespace: 'ops', name: 'talk' } },
  ],
  [
    'a turn of an A2A context',
    { createdBy: 'system:sessions', alsoBy: ['peer'], labels: { ...session, 'svc.dev/door': 'a2a' } },
    turn,
    { door: 'a2a', source: { kind: 'Session', namespace: 'ops', name: 'talk' }, askedBy: 'peer' },
  ],
  [
    'a scheduled run',
    { createdBy: 'system:triggers', alsoBy: ['ann'], labels: { 'svc.dev/created-by': 'schedule', 'svc.dev/task-schedule': 'nightly' } },
    {},
    { door: 'schedule', source: { kind: 'TaskSchedule', namespace: 'ops', name: 'nightly' }, askedBy: 'ann' },
  ],
  [
    'a run of a webhook',
    { createdBy: 'system:triggers', labels: { 'svc.dev/created-by': 'webhook', 'svc.dev/task-webhook': 'push' } },
    {},
    { door: 'webhook', source: { kind: 'TaskWebhook', namespace: 'ops', name: 'push' } },
  ],
  ['a call over MCP', { createdBy: 'ann', labels: { 'svc.dev/door': 'mcp' } }, {}, { door: 'mcp', askedBy: 'ann' }],
  [
    'a retry of a call over MCP',
    { createdBy: 'bob', labels: { 'svc.dev/door': 'mcp' }, annotations: { 'svc.dev/retry-of': 'ops/call' } },
    {},
    { door: 'api', askedBy: 'bob' },
  ],
  [
    'a Task of a person with the labels of a Session',
    { createdBy: 'eve', labels: { ...session, 'svc.dev/door': 'chat' }, annotations: { 'svc.dev/asked-by': 'ann' } },
    turn,
    { door: 'api', askedBy: 'eve' },
  ],
  [
    'a turn with a session_id that is no name',
    { createdBy: 'system:sessions', labels: session },
    { input: { session_id: '../x' } },
    { door: 'session' },
  ],
])('reads the origin of %s', (_title, fields, spec, origin) => {
  expect(taskOrigin(task(fields), spec)).toEqual(origin);
});

test('marks of an approval read back as the same origin', () => {
  const origin = { door: 'webhook', source: { kind: 'TaskWebhook', namespace: 'ops', name: 'push' }, askedBy: 'ann' } as const;
  expect(approvalOrigin({ ...originMarks(origin), createdBy: 'system:engine' })).toEqual(origin);
  expect(approvalOrigin({ ...originMarks({ door: 'api' }), createdBy: 'system:engine' })).toEqual({ door: 'api' });
});

test('approvals made by hand or without marks have no origin, and a source of another kind is left out', () => {
  const createdBy = 'system:engine';
  const marks = { labels: { 'svc.dev/door': 'session' }, annotations: { 'svc.dev/origin': 'Secret ops/key' } };
  expect(approvalOrigin({ ...marks, createdBy })).toEqual({ door: 'session' });
  expect(approvalOrigin({ ...marks, createdBy: 'eve' })).toBeUndefined();
  expect(approvalOrigin({ labels: {}, annotations: {}, createdBy })).toBeUndefined();
  expect(approvalOrigin({ labels: { 'svc.dev/door': 'back' }, annotations: {}, createdBy })).toBeUndefined();
});

test('text of an origin names the door and the source', () => {
  const source = { kind: 'Session', namespace: 'ops', name: 'talk' };
  expect([originText({ door: 'api' }), originText({ door: 'session', source }), originText({ door: 'a2a', source })]).toEqual([
    'API',
    'Session ops/talk',
    'A2A, Session ops/talk',
  ]);
});

test('a schedule was set up by its creator, a message was requested by its sender', () => {
  expect([askerTerm({ door: 'schedule' }), askerTerm({ door: 'chat' })]).toEqual(['Set up by', 'Requested by']);
});
