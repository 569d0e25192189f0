// The place of a Task in the queue: by priority, raised by waiting.
import { expect, test } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import { workItem } from './task-hooks.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');

/** Priority and how many minutes it has waited at noon. */
function rankOf([priority, minutes]: readonly [priority: string | undefined, minutes: number]): number {
  const createdAt = new Date(NOON - minutes * 60_000).toISOString();
  const metadata = { uid: 'u', namespace: 'default', name: 't', createdAt };
  return workItem({ metadata, spec: { priority }, status: {} } as unknown as Resource).rank;
}

test.each<[string, [string | undefined, number], [string | undefined, number]]>([
  ['the higher priority goes first', ['high', 0], ['normal', 0]],
  ['critical before high', ['critical', 0], ['high', 0]],
  ['normal before low', ['normal', 0], ['low', 0]],
  ['the older of two equals goes first', ['normal', 2], ['normal', 1]],
  ['no priority is normal', [undefined, 2], ['normal', 1]],
  ['an integer stands among the names', ['11', 0], ['high', 0]],
  ['a negative integer too', ['normal', 0], ['-1', 0]],
  ['a low Task that has waited passes a newer normal one', ['low', 11], ['normal', 0]],
  ['and then a newer high one', ['low', 21], ['high', 0]],
  ['but not before its time', ['high', 0], ['low', 19]],
  ['even critical is passed in the end', ['low', 71], ['critical', 0]],
])('%s', (_, first, second) => {
  expect(rankOf(first)).toBeLessThan(rankOf(second));
});
