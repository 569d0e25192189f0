// Four eyes as a rule: refused identities, unknown writers, and objects of versions that kept no writer.
import { expect, test } from 'vitest';
import type { Identity } from '../../registry/registry.ts';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import { taskSettings } from '../definitions/snapshot-settings.ts';
import { otherPersonFor, samePersonProblem } from './other-person.ts';
import type { AskOrigin, WaitingRun } from './waiting-run.ts';

const RULE = { kind: 'ToolPermission', namespace: 'default', name: 'pay' } as const;
const approval = { kind: 'ToolApproval', namespace: 'default', name: 'a', uid: 'u', spec: { task_ref: 'job' } };

function object(kind: string, name: string, more: Partial<StoredObject> = {}): StoredObject {
  const at = '2026-01-02T03:04:05.000Z';
  const base = { uid: name, resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: at, updatedAt: at };
  return { kind, namespace: 'default', name, ...base, spec: {}, status: {}, ...more };
}
function reader(...objects: readonly StoredObject[]): StoreReader {
  const find = ({ kind, name }: { readonly kind: string; readonly name: string }) =>
    Promise.resolve(objects.find((each) => each.kind === kind && each.name === name));
  return { getObject: find } as unknown as StoreReader;
}
const waiting = (origin?: AskOrigin): WaitingRun => ({
  kind: 'ToolApproval',
  stream: 's',
  task: 'job',
  uid: 'u',
  reason: 'policy',
  ...(origin && { origin }),
});
const bearer = (name: string): Identity => ({ method: 'bearer', name, role: 'approver' });

test('refuses earlier and current writers, each with all its writes', async () => {
  const asked = waiting({ creators: ['ann', 'bob'], rules: [{ ...RULE, by: 'bob', require_other: true }] });
  const other = await otherPersonFor(reader(object('ToolPermission', 'pay', { specBy: 'eve' })), { approval, waiting: asked }, false);
  expect(other?.barred).toEqual([
    { name: 'ann', because: 'created Task default/job' },
    { name: 'bob', because: 'created Task default/job and last changed ToolPermission default/pay' },
    { name: 'eve', because: 'last changed ToolPermission default/pay' },
  ]);
  expect(other && samePersonProblem(bearer('carl'), 'It', other)).toBeUndefined();
});

test('refuses a person who replaced a text of this run, not of another Task of its name', async () => {
  const asked = waiting({ creators: ['ann'], rules: [{ ...RULE, by: 'bob', require_other: true }] });
  const barred = async (uid: string) => {
    const objects = reader(object('ToolPermission', 'pay'), object('Task', 'job', { uid, alsoBy: ['eve'] }));
    return (await otherPersonFor(objects, { approval, waiting: asked }, false))?.barred.map(({ name }) => name);
  };
  expect(await barred('s')).toEqual(['ann', 'eve', 'bob']);
  expect(await barred('another')).toEqual(['ann', 'bob']);
});

test('refuses the writer of the McpServer of a generated Tool', async () => {
  const tool = { kind: 'Tool', namespace: 'default', name: 'shop--pay', by: 'system:controllers' } as const;
  const asked = waiting({ creators: ['ann'], rules: [tool] });
  const spec = { type: 'mcp', mcp_server_ref: 'shop', mcp_tool_name: 'pay' };
  const objects = reader(
    object('Tool', 'shop--pay', { specBy: 'system:controllers', spec }),
    object('McpServer', 'shop', { specBy: 'eve' }),
  );
  const other = await otherPersonFor(objects, { approval, waiting: asked }, true);
  expect(other?.barred).toContainEqual({ name: 'eve', because: 'last changed McpServer default/shop' });
});

test.each<[string, AskOrigin | undefined, RegExp]>([
  ['creator of the Task', { rules: [] }, /not known who wrote Task default\/job/],
  ['writer of the rule', { creators: ['ann'], rules: [RULE] }, /not known who wrote ToolPermission default\/pay/],
  ['origin, asked by an older version of a Task without creator', undefined, /not known who wrote Task default\/job/],
])('refuses everybody without a known %s', async (_, origin, problem) => {
  const other = await otherPersonFor(reader(object('Task', 'job')), { approval, waiting: waiting(origin) }, true);
  expect(other && samePersonProblem(bearer('carl'), 'It', other)).toMatch(problem);
});

test('requires no other person unless the recorded rule, the current rule or the server does', async () => {
  const asked = waiting({ creators: ['ann'], rules: [{ ...RULE, by: 'bob' }] });
  expect(await otherPersonFor(reader(object('ToolPermission', 'pay')), { approval, waiting: asked }, false)).toBeUndefined();
});

test('creators of a Task are its creator, the last writer of its spec and those of the Task it repeats', () => {
  const task = object('Task', 'job', { createdBy: 'bob', specBy: 'eve', alsoBy: ['ann', 'bob'] });
  expect(taskSettings(task).creators).toEqual(['bob', 'eve', 'ann']);
  expect(taskSettings(object('Task', 'job', { specBy: 'eve' })).creators).toBeUndefined();
});
