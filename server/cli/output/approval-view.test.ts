// The origin of a run in lists and details of approvals.
import { expect, test } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import { originMarks, type RunOrigin } from '@svc/shared/run-origin';
import { approvalHeader, approvalLines, approvalRow } from './approval-view.ts';
import { createStyle } from './style.ts';

const layout = { namespaces: false, phases: false, nowMs: 0, style: createStyle(false) };

function approval(origin: RunOrigin, createdBy = 'system:engine'): Resource {
  return {
    apiVersion: 'svc.dev/v1',
    kind: 'ToolApproval',
    metadata: {
      ...{ name: 'a', namespace: 'ops', uid: 'u', resourceVersion: '1', generation: 1, createdBy },
      ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
      ...originMarks(origin),
    },
    spec: { task_ref: 'run', tool: 'mail' },
    status: { phase: 'Pending' },
  };
}

const session = { kind: 'Session', namespace: 'ops', name: 'talk' };
const fromOf = (resource: Resource) => approvalRow(resource, layout)[approvalHeader(layout).indexOf('FROM')];

test('a row names the interface, its object and the requester', () => {
  expect(fromOf(approval({ door: 'a2a', source: session, askedBy: 'peer' }))).toBe('talk (A2A) by peer');
  expect(fromOf(approval({ door: 'api', askedBy: 'ann' }))).toBe('API by ann');
  expect(fromOf(approval({ door: 'api', askedBy: 'ann' }, 'eve'))).toBe('-');
});

test('details name the object in full, and the one who set a schedule up', () => {
  const source = { kind: 'TaskSchedule', namespace: 'ops', name: 'nightly' };
  const lines = approvalLines(approval({ door: 'schedule', source, askedBy: 'ann' }), [], layout);
  expect(lines.filter((line) => /^(From|Set up by)/.test(line)).map((line) => line.replace(/: +/, ': '))).toEqual([
    'From: TaskSchedule ops/nightly',
    'Set up by: ann',
  ]);
});
