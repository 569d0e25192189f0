// Refused requests: anybody can cause them, so a flood of them is counted rather than written.
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { auditAccess } from './audit-access.ts';
import type { AuditEvent } from './audit-event.ts';

const access = {
  code: 'unauthorized',
  reason: 'The token is not valid',
  method: 'GET',
  path: '/v1/tasks',
  clientAddress: '192.0.2.1',
  requestId: 'r1',
} as const;

test('a refusal records the caller, the requested path and the client address', () => {
  const events: AuditEvent[] = [];
  const audit = auditAccess({ write: (event) => void events.push(event) }, createManualClock());
  audit.refused(access);
  audit.refused({ ...access, namespace: 'team', code: 'forbidden', identity: { name: 'ci', method: 'bearer', role: 'reader' } });
  expect(events[0]).toEqual({
    timestamp: '2026-01-02T03:04:05.000Z',
    component: 'http',
    action: 'request',
    outcome: 'denied',
    principal: { name: 'anonymous', method: 'none' },
    resource: { kind: 'Path', name: '/v1/tasks' },
    request_id: 'r1',
    details: { method: 'GET', code: 'unauthorized', reason: 'The token is not valid', client_address: '192.0.2.1' },
  });
  expect(events[1]?.resource).toEqual({ kind: 'Path', namespace: 'team', name: '/v1/tasks' });
  expect(events[1]?.principal).toEqual({ name: 'ci', method: 'bearer', role: 'reader' });
});

test('a flood of refused requests writes the first events with the number left out', () => {
  const events: AuditEvent[] = [];
  const clock = createManualClock();
  const audit = auditAccess({ write: (event) => void events.push(event) }, clock);
  for (let n = 0; n < 500; n += 1) audit.refused(access);
  expect(events).toHaveLength(200);
  clock.advance(10_000);
  audit.refused(access);
  expect(events.slice(200).map(({ outcome, details }) => [outcome, details?.['count']])).toEqual([
    ['left_out', 300],
    ['denied', undefined],
  ]);
  for (let n = 0; n < 200; n += 1) audit.refused(access);
  audit.close();
  audit.close();
  expect(events.at(-1)).toMatchObject({ outcome: 'left_out', details: { count: 1 } });
});
