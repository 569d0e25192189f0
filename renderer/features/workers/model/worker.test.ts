import type { Resource } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import { capacityOf, isolationOf, offersOf, readWorker, remedyOf, sortWorkers, stateOf } from './worker.ts';

const worker = (name: string, spec: object, status: object) =>
  readWorker({ kind: 'Worker', metadata: { name, namespace: 'default' }, spec, status } as unknown as Resource);

describe('a worker', () => {
  test('has at least one slot', () => expect(worker('a', { max_concurrent_tasks: 0 }, {}).slots).toBe(1));
  test('has empty values where its object has none', () => {
    const view = worker('a', {}, {});
    expect([view.phase, view.running, view.region, view.gpu, view.models, view.isolation]).toEqual(['Pending', 0, '', false, [], []]);
    expect(view.heartbeat).toBeNaN();
  });
  test('offers its region, GPU and models', () => {
    const view = worker('a', { region: 'eu-1', capabilities: { gpu: true, supported_models: ['llama'] } }, {});
    expect(offersOf(view)).toEqual(['eu-1', 'GPU', 'llama']);
  });
});

test('a fleet without a ready worker is remedied by resuming one where one is suspended', () => {
  const suspended = (phase: string) =>
    readWorker({
      kind: 'Worker',
      metadata: { name: 'a', namespace: 'default', annotations: { 'svc.dev/suspend-reason': 'new disk' } },
      spec: { suspend: true },
      status: { phase },
    } as unknown as Resource);
  expect(suspended('Draining').suspendReason).toBe('new disk');
  expect(['Draining', 'NotReady'].map((phase) => stateOf(suspended(phase)))).toEqual(['Suspended', 'NotReady']);
  expect(remedyOf([suspended('Draining')])).toBe('Resume a suspended worker, or start another one.');
  expect(remedyOf([suspended('NotReady'), worker('b', {}, {})])).toBe('Start a worker process.');
});

test('the capacity counts workers that are ready', () => {
  const fleet = [
    worker('a', { max_concurrent_tasks: 4 }, { phase: 'Ready', currentTasks: 3 }),
    worker('b', { max_concurrent_tasks: 8 }, { phase: 'Draining', currentTasks: 2 }),
  ];
  expect(capacityOf(fleet)).toEqual({ workers: 2, ready: 1, taken: 3, slots: 4 });
});

test('a heartbeat alone does not change the isolation', () => {
  const docker = (available: boolean) => [{ backend: 'docker', modes: ['container'], available }];
  const beat = (at: string, available: boolean) => isolationOf([worker('a', {}, { lastHeartbeat: at, isolation: docker(available) })]);
  expect(beat('2026-01-01T00:00:10Z', true)).toBe(beat('2026-01-01T00:00:00Z', true));
  expect(beat('2026-01-01T00:00:10Z', false)).not.toBe(beat('2026-01-01T00:00:00Z', true));
});

describe('the fleet is sorted by', () => {
  const fleet = [
    worker('busy', {}, { phase: 'Ready', currentTasks: 3, lastHeartbeat: '2026-01-01T00:00:01Z' }),
    worker('gone', {}, { phase: 'NotReady', currentTasks: 4, lastHeartbeat: '2026-01-01T00:00:00Z' }),
    worker('idle', {}, { phase: 'Ready', currentTasks: 0, lastHeartbeat: '2026-01-01T00:00:02Z' }),
  ];
  test.each([
    ['phase', 'asc', ['gone', 'busy', 'idle']],
    ['heartbeat', 'asc', ['idle', 'busy', 'gone']],
    ['slots', 'desc', ['busy', 'idle', 'gone']],
    ['name', 'desc', ['idle', 'gone', 'busy']],
    ['isolation', 'asc', ['busy', 'gone', 'idle']],
  ] as const)('%s, %s', (column, direction, expected) => {
    expect(sortWorkers(fleet, { column, direction }).map(({ name }) => name)).toEqual(expected);
  });
});
