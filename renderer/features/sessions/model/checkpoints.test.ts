// Checkpoints in the words of the panel: groups, results of a rewind, requests for a fork.
import type { Checkpoint, SafePoint, SessionEventType } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { expect, it } from 'vitest';
import { byTurn, cutText, forkRequest, forkText, rewindText } from './checkpoints.ts';

const checkpoint = (id: string, turnId: string, point: SafePoint = 'turn.completed'): Checkpoint => ({
  ...{ id, turn_id: turnId, task_name: 't', agent: 'a', safe_point: point, event_sequence: 1, state_version: 1, state_hash: 'abcdef0123' },
  ...{ state_bytes: 1, created_at: '', expires_at: '' },
});
/** Three turns, of which the last one runs. */
function conversationOf(
  ...after: readonly (readonly [type: SessionEventType, turn?: string | undefined, payload?: Record<string, unknown>])[]
): Conversation {
  const ran = (id: string, sequence: number) =>
    [
      ['message.created', id, { content: `Message ${sequence}` }],
      ['turn.queued', id, { queue_sequence: sequence }],
      ['turn.started', id],
      ['turn.completed', id],
      ['checkpoint.created', id, { checkpoint_id: `c-${id}`, safe_point: 'turn.completed' }],
    ] as const;
  const conversation = new Conversation();
  const told = [...ran('t1', 1), ...ran('t2', 2), ...ran('t3', 3).slice(0, 3), ...after];
  for (const [index, [type, turn, payload = {}]] of told.entries())
    conversation.apply({
      ...{ seq: index + 1, type, session_name: 's', namespace: 'default', timestamp: '2026-01-01T00:00:00.000Z', payload },
      ...(turn !== undefined && { turn_id: turn }),
    });
  return conversation;
}
const { turns } = conversationOf();

it('groups checkpoints by turn in the order of the list', () => {
  const list = [checkpoint('c3', 't2'), checkpoint('c2', 't2', 'step.completed'), checkpoint('c1', 'unread')];
  expect(byTurn(list, turns).map((group) => [group.turn?.sequence, group.checkpoints.map(({ id }) => id)])).toEqual([
    [2, ['c3', 'c2']],
    [undefined, ['c1']],
  ]);
});

it('names each consequence of a rewind', () => {
  const idle = conversationOf(['turn.completed', 't3']);
  expect(rewindText(checkpoint('c', 't1'), conversationOf())).toBe(
    '2 turns are undone. The current turn is interrupted. What tools did outside stays as it is.',
  );
  expect(rewindText(checkpoint('c', 't3', 'agent.completed'), idle)).toMatch(/^1 turn is undone\. The turn of this checkpoint continues/);
  expect(rewindText(checkpoint('c', 't3'), idle)).toBe('Nothing follows this checkpoint.');
  expect(rewindText(checkpoint('c', 'unread'), idle)).toMatch(/^Every turn after this checkpoint is undone/);
});

it('names the definitions of a turn that continues inside of it', () => {
  const kept = 'It keeps the models and prompts with which it began';
  const idle = conversationOf(['turn.completed', 't3']);
  expect(rewindText(checkpoint('c', 't3', 'step.completed'), idle)).toContain(kept);
  expect(forkText(checkpoint('c', 't3', 'step.completed'), 'turn 3')).toContain(kept);
  expect(forkText(checkpoint('c', 't3'), 'turn 3')).not.toContain(kept);
});

it('names the turns that a rewind to an undone turn restores', () => {
  const rewound = conversationOf(['turn.cancelled', 't3'], ['session.rewound', undefined, { checkpoint_id: 'c-t1' }]);
  expect(rewindText(checkpoint('c', 't2'), rewound)).toBe('1 turn that was undone returns. What tools did outside stays as it is.');
});

it('leaves blank overrides out of a fork', () => {
  expect(forkRequest({ name: ' b ', resume: true, models: { a: ' ' }, prompts: {} })).toEqual({ name: 'b', resume: true });
  expect(forkRequest({ name: 'b', resume: false, models: { a: 'big', c: '' }, prompts: { c: 'Be brief.' } })).toEqual({
    ...{ name: 'b', resume: false },
    overrides: { model: { a: 'big' }, prompt: { c: 'Be brief.' } },
  });
});

it('names the cut parts of a comparison', () => {
  expect(cutText({ cut: { shared: false, left: false, right: false } })).toBeUndefined();
  expect(cutText({ cut: { shared: true, left: false, right: true } })).toContain('of the shared part and the right side only');
});
