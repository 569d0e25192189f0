// Rows of a conversation.
import type { SessionEvent, SessionEventType } from '@svc/shared/api/sessions';
import { Conversation, type TurnPart } from '@svc/shared/sessions/conversation';
import { expect, test } from 'vitest';
import { groupParts, rowsOf, type Row } from './rows.ts';

function conversationOf(...steps: readonly (readonly [SessionEventType, (string | undefined)?, Readonly<Record<string, unknown>>?])[]) {
  const conversation = new Conversation();
  for (const [index, [type, turn, payload = {}]] of steps.entries()) {
    conversation.apply({
      seq: index + 1,
      type,
      session_name: 's',
      namespace: 'default',
      timestamp: '2026-01-01T00:00:00.000Z',
      ...(turn !== undefined && { turn_id: turn }),
      payload,
    } satisfies SessionEvent);
  }
  return conversation;
}

const short = (row: Row) =>
  row.type === 'turn' ? `${row.turn.id}+${row.ahead}` : row.type === 'note' ? row.note.type : row.turns.map(({ id }) => id);

test('queued turns show the number of turns before them', () => {
  const conversation = conversationOf(['turn.queued', 'a'], ['turn.started', 'a'], ['turn.queued', 'b'], ['turn.queued', 'c']);
  expect(rowsOf(conversation).map(short)).toEqual(['a+0', 'b+1', 'c+2']);
});

test('a first queued turn without a worker has no turns before it', () => {
  expect(rowsOf(conversationOf(['turn.queued', 'a'], ['turn.queued', 'b'])).map(short)).toEqual(['a+0', 'b+1']);
});

test('undone turns are one row, and notes follow the turn that was last at their time', () => {
  const conversation = conversationOf(
    ['turn.started', 'a'],
    ['turn.completed', 'a'],
    ['checkpoint.created', 'a', { checkpoint_id: 'c', safe_point: 'turn.completed' }],
    ['turn.started', 'b'],
    ['turn.completed', 'b'],
    ['turn.started', 'd'],
    ['session.paused', undefined, {}],
    ['session.rewound', undefined, { checkpoint_id: 'c' }],
    ['turn.queued', 'e'],
  );
  expect(rowsOf(conversation).map(short)).toEqual(['a+0', ['b', 'd'], 'session.paused', 'session.rewound', 'e+0']);
});

test('tool calls in succession are one group', () => {
  const call = (requestId: string): TurnPart => ({ type: 'tool', requestId, tool: 't', input: {}, at: '' });
  const note: TurnPart = { type: 'withdrawn', text: 'x', reason: 'step' };
  expect(groupParts([call('1'), call('2'), note, call('3')]).map(({ key }) => key)).toEqual(['calls-1', 'part-2', 'calls-3']);
});
