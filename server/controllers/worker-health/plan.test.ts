// The rules about silent Workers, as a table.
import { describe, expect, it, test } from 'vitest';
import type { StoredObject } from '../../store/store.ts';
import { FORGET_AFTER_MS, lastHeartbeatOf, planWorkerHealth } from './plan.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const TIMEOUT_MS = 30_000;

function worker(phase: string, annotations: Record<string, string> = {}): StoredObject {
  const at = '2026-01-01T00:00:00.000Z';
  const base = { resourceVersion: 1, generation: 1, labels: {}, createdAt: at, updatedAt: at, spec: {} };
  return { kind: 'Worker', namespace: 'default', name: 'w', uid: 'u', ...base, annotations, status: { phase } };
}
const registered = { 'svc.dev/registered-by': 'worker' };
const ago = (ms: number) => ({ heartbeat: 'h', at: NOW - ms });

test.each([
  ['a Ready one that reports is looked at when it could be late', worker('Ready'), ago(10_000), { do: 'wait', until: NOW + 20_000 }],
  ['a Ready one that is late is marked', worker('Ready'), ago(TIMEOUT_MS), { do: 'markNotReady' }],
  ['a Draining one that is late is marked', worker('Draining'), ago(TIMEOUT_MS), { do: 'markNotReady' }],
  ['one that never reported is left alone', worker('Pending'), undefined, { do: 'nothing' }],
  ['one that has an error is left alone', worker('Error'), ago(TIMEOUT_MS), { do: 'nothing' }],
  ['a declared one that is gone stays', worker('NotReady'), ago(FORGET_AFTER_MS * 10), { do: 'nothing' }],
  [
    'one that registered itself is kept for a day',
    worker('NotReady', registered),
    ago(1_000),
    { do: 'wait', until: NOW - 1_000 + FORGET_AFTER_MS },
  ],
  ['and deleted then', worker('NotReady', registered), ago(FORGET_AFTER_MS), { do: 'delete' }],
  ['one made by something else stays', worker('NotReady', { 'svc.dev/registered-by': 'ops' }), ago(FORGET_AFTER_MS), { do: 'nothing' }],
])('%s', (_title, object, last, plan) => {
  expect(planWorkerHealth(object, last, { now: NOW, workerTimeoutMs: TIMEOUT_MS })).toEqual(plan);
});

describe('last heartbeat of a Worker', () => {
  const says = (ms: number) => ({ status: { lastHeartbeat: new Date(ms).toISOString() } });

  it('is its own timestamp at first, but never later than now', () => {
    expect(lastHeartbeatOf(says(NOW - 5_000), undefined, NOW)?.at).toBe(NOW - 5_000);
    expect(lastHeartbeatOf(says(NOW + 60_000), undefined, NOW)?.at).toBe(NOW);
  });

  it('is the time of its last observed change, regardless of its clock', () => {
    const known = lastHeartbeatOf(says(NOW - 3_600_000), undefined, NOW);
    expect(lastHeartbeatOf(says(NOW - 3_590_000), known, NOW + 10_000)).toEqual({
      heartbeat: new Date(NOW - 3_590_000).toISOString(),
      at: NOW + 10_000,
    });
  });

  it('does not move while it is the same', () => {
    const known = lastHeartbeatOf(says(NOW), undefined, NOW);
    expect(lastHeartbeatOf(says(NOW), known, NOW + 10_000)).toBe(known);
  });

  it('is unknown for one that never reported', () => {
    expect(lastHeartbeatOf({ status: {} }, undefined, NOW)).toBeUndefined();
  });
});
