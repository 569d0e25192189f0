// Inputs of earlier runs as they fill the form of the next run and the message of a trial, beside turns of a Session.
import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { againOf, pastInputs } from '../run/run-input.ts';
import { lastInput } from './use-last-run.ts';

const task = (name: string, createdAt: string, input: object): Resource =>
  ({
    kind: 'Task',
    metadata: { name, namespace: 'ops', createdAt, labels: {}, annotations: {} },
    spec: { system: 'desk', input },
    status: {},
  }) as never;

const run = task('run', '2026-01-01T00:00:00Z', { request: 'Help' });
const turn = task('turn', '2026-01-02T00:00:00Z', { message: 'Hello', session_id: 'talk', turn_id: 'turn-1' });

test('a turn of a Session fills no form of a run', () => {
  expect(pastInputs([turn, run]).map((past) => past.task)).toEqual(['run']);
  expect(pastInputs([turn])).toEqual([]);
  expect(againOf(turn, new Date(0)).rows).toEqual([{ key: 'message', value: 'Hello' }]);
});

test('the last input is that of a run before that of a newer turn', () => {
  expect(lastInput([turn, run])).toEqual({ task: 'run', input: { request: 'Help' }, text: 'request: Help' });
});

test('the message of a turn is shown alone, as its agent received it', () => {
  expect(lastInput([turn])).toEqual({ task: 'turn', input: { message: 'Hello' }, text: 'Hello' });
});
