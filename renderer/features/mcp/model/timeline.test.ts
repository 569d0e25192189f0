// Timeline of a connection from events.
import type { EventRecord } from '@svc/shared/api/watch';
import { expect, test } from 'vitest';
import { timelineOf } from './timeline.ts';

const event = (id: string, type: string, data: EventRecord['data'] = {}): EventRecord => ({
  ...{ id, type, data, timestamp: '2026-01-01T00:00:00Z', source: 's', kind: 'McpServer', namespace: 'ops', name: 'notes' },
  ...{ action: type, message: `message ${id}` },
});

test('connections and failures are listed, and writes of the status are left out', () => {
  const failed = event('3', 'mcp.failed', { attempt: 2, maxAttempts: 3, nextAttemptAt: '2026-01-01T00:00:04Z' });
  const entries = timelineOf([failed, event('2', 'resource.updated'), event('1', 'mcp.connected')]);
  expect(entries.map(({ id, label, attempt }) => [id, label, attempt])).toEqual([
    ['3', 'Failed', 'attempt 2 of 3'],
    ['1', 'Connected', undefined],
  ]);
  expect(entries[0]?.nextAttemptAt).toBe('2026-01-01T00:00:04Z');
});

test('an attempt beyond the set number is named without it', () => {
  expect(timelineOf([event('1', 'mcp.failed', { attempt: 4, maxAttempts: 3 })])[0]?.attempt).toBe('attempt 4');
});
