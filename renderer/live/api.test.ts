// Which streams are followed again by themselves.
import { expect, test } from 'vitest';
import { mayFollowAgain } from './api.ts';

const refused = (code: string) => ({ data: { error: { code, message: '' } } });

test.each([
  ['subscription', 'live.events', 'unavailable', true],
  ['subscription', 'runs.followTrace', 'internal', true],
  ['subscription', 'runs.followTrace', 'not_found', false],
  ['subscription', 'live.events', 'unauthorized', false],
  ['subscription', 'live.changes', 'unavailable', false],
  ['mutation', 'approvals.decide', 'unavailable', false],
  ['query', 'resources.list', 'unavailable', false],
] as const)('%s %s after %s: %s', (type, path, code, expected) => expect(mayFollowAgain({ type, path }, refused(code))).toBe(expected));
