import type { EventRecord } from '@svc/shared/api/watch';
import { expect, test } from 'vitest';
import { mergeEvents } from './use-server-events.ts';

const event = (id: string) => ({ id }) as EventRecord;

test('an event received live and with a page appears once, and the newest is first by number', () => {
  expect(mergeEvents([event('10'), event('9')], [event('9'), event('2')]).map(({ id }) => id)).toEqual(['10', '9', '2']);
});
