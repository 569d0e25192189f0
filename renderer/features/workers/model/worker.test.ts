import type { Resource } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import { capacityOf, isolationOf, offersOf, readWorker } from './worker.ts';

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
