// The activity of a Session that no write of its status names yet.
import { expect, test } from 'vitest';
import { unwrittenActivity } from './draft.ts';
import type { TurnRecord } from './records.ts';

const turn = (phase: TurnRecord['phase'], task: TurnRecord['task'] = { name: 'run', uid: 'u' }) =>
  ({ id: 'turn-1', createdAt: '2026-01-01T00:00:00.000Z', phase, ...(task && { task }) }) as TurnRecord;
const WAITING = { phase: 'WaitingInput' } as const;

test.each([
  ['a turn that waits for a worker', WAITING, turn('Queued'), 'turn-1'],
  ['a turn that a worker took after the status was read', WAITING, turn('Running'), 'turn-1'],
  ['a turn that is over', WAITING, turn('Succeeded'), undefined],
  ['a status that names the turn', { ...WAITING, activeTurnID: 'turn-1' }, turn('Running'), undefined],
  ['a paused Session', { phase: 'Paused' } as const, turn('Queued'), undefined],
  ['no turn', WAITING, undefined, undefined],
])('%s', (_title, status, active, id) => {
  expect(unwrittenActivity({ queuedTurns: 0, completedTurns: 0, fence: 0, ...status }, active)?.id).toBe(id);
});
