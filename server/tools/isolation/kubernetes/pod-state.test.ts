import { expect, test } from 'vitest';
import { quantity } from './facts.ts';
import type { Pod } from './objects.ts';
import { missingPermissions, MAY, permissionText } from './permissions.ts';
import { podState } from './pod-state.ts';

const tool = (state: unknown, more: object = {}): Pod => ({ status: { containerStatuses: [{ name: 'tool', state }], ...more } }) as Pod;
const sidecar = { name: 'istio-proxy', state: { running: {} } };

test.each<[string, Pod, object]>([
  ['nothing known', {}, { kind: 'waiting', reason: 'Pending' }],
  ['being made', tool({ waiting: { reason: 'ContainerCreating' } }), { kind: 'waiting', reason: 'ContainerCreating' }],
  [
    'no node',
    { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'm' }] } },
    { kind: 'waiting', reason: 'Unschedulable', message: 'm' },
  ],
  ['no Secret yet', tool({ waiting: { reason: 'CreateContainerConfigError' } }), { kind: 'waiting', reason: 'CreateContainerConfigError' }],
  [
    'no image',
    tool({ waiting: { reason: 'ImagePullBackOff', message: 'm' } }),
    { kind: 'no-image', problem: 'image_pull_failed', message: 'm' },
  ],
  ['a bad name', tool({ waiting: { reason: 'InvalidImageName' } }), { kind: 'no-image', problem: 'image_invalid' }],
  ['running', tool({ running: {} }), { kind: 'running' }],
  ['only a sidecar running', { status: { containerStatuses: [sidecar] } }, { kind: 'waiting' }],
  ['success', tool({ terminated: { exitCode: 0, reason: 'Completed' } }), { kind: 'ended', end: { exitCode: 0, oomKilled: false } }],
  ['failure', tool({ terminated: { exitCode: 3, reason: 'Error' } }, { phase: 'Failed' }), { kind: 'ended', end: { exitCode: 3 } }],
  ['a signal', tool({ terminated: { exitCode: 143, signal: 15 } }), { kind: 'ended', end: { exitCode: 143, signal: 'SIGTERM' } }],
  ['no memory', tool({ terminated: { exitCode: 137, reason: 'OOMKilled' } }), { kind: 'ended', end: { exitCode: 137, oomKilled: true } }],
  ['no command', tool({ terminated: { exitCode: 128, reason: 'StartError', message: 'm' } }), { kind: 'not-started', exitCode: 128 }],
  [
    'evicted',
    tool({ terminated: { exitCode: 137, reason: 'Error' } }, { phase: 'Failed', reason: 'Evicted' }),
    { kind: 'lost', reason: 'Evicted', began: true },
  ],
  ['refused by the node', { status: { phase: 'Failed', reason: 'OutOfcpu' } }, { kind: 'lost', reason: 'OutOfcpu', began: false }],
  [
    'ended because it was told to',
    { ...tool({ terminated: { exitCode: 143 } }), metadata: { deletionTimestamp: 'now' } },
    { kind: 'lost', reason: 'Deleted', began: true },
  ],
  ['told to end, and running', { ...tool({ running: {} }), metadata: { deletionTimestamp: 'now' } }, { kind: 'running' }],
])('a pod with %s', (_, pod, state) => {
  expect(podState({ pod, deleted: false })).toMatchObject(state);
});

test('a deleted pod counts as lost, whatever its last state', () => {
  expect(podState({ pod: tool({ running: {} }), deleted: true })).toMatchObject({ kind: 'lost', began: true });
  expect(podState({ pod: {}, deleted: true })).toMatchObject({ kind: 'lost', began: false });
});

test.each([
  ['128Mi', 128 * 1024 * 1024],
  ['134217728', 134_217_728],
  ['500m', 0.5],
  ['0.5', 0.5],
  [1, 1],
  ['1e3', 1000],
  ['2G', 2e9],
  ['x', undefined],
  [undefined, undefined],
])('the quantity %s is %s', (text, value) => {
  expect(quantity(text)).toBe(value);
});

const rule = (verbs: string[], apiGroups: string[], resources: string[], more = {}) => ({ verbs, apiGroups, resources, ...more });
test.each([
  ['everything', [rule(['*'], ['*'], ['*'])], []],
  ['nothing', [], Object.values(MAY).map(permissionText)],
  [
    'all but Secrets and attaches',
    [rule(['*'], ['batch'], ['jobs']), rule(['get', 'list', 'watch'], [''], ['pods', '*/log'])],
    ['create secrets', 'get pods/attach', 'create pods/attach'],
  ],
  [
    'Secrets of one name',
    [rule(['*'], ['*'], ['jobs', 'pods', 'pods/log', 'pods/attach']), rule(['*'], [''], ['secrets'], { resourceNames: ['a'] })],
    ['create secrets'],
  ],
])('an account with %s', (_, resourceRules, missing) => {
  expect(missingPermissions({ status: { resourceRules, incomplete: false } }).map(permissionText)).toEqual(missing);
});

test('an answer that does not tell everything counts as permission', () => {
  expect(missingPermissions({ status: { resourceRules: [], incomplete: true } })).toEqual([]);
});
