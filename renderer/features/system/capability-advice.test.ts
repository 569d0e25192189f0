import { expect, test } from 'vitest';
import { adviceFor, byName } from './capability-advice.ts';

const capability = (id: string, enabled: boolean, source: string) => ({ id, enabled, description: '', source });

test.each([
  [capability('tasks', true, 'build'), undefined],
  [capability('a2a', false, 'build'), 'Not part of this version of the server. No setting switches it on.'],
  [capability('embedded-worker', false, '--embedded-worker'), 'Start the server with --embedded-worker.'],
  [capability('isolation-none', false, '--unisolated-cli-tools'), 'Start the server with --unisolated-cli-tools admin.'],
  [
    capability('isolation-docker', false, '--tool-isolation-backend'),
    'Used when the engine is available, unless --tool-isolation-backend is none.',
  ],
])('%j: %s', (given, advice) => expect(adviceFor(given)).toBe(advice));

test('capabilities are sorted by name', () =>
  expect(byName([capability('b', false, ''), capability('c', true, ''), capability('a', true, '')]).map(({ id }) => id)).toEqual([
    'a',
    'b',
    'c',
  ]));
